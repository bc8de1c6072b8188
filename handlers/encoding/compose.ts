import { availableParallelism } from 'node:os'
import { createSharpWebp } from '@lantern-room/adapters/ffmpeg'
import { openFileSource } from '@lantern-room/adapters/files'
import { receiveForm } from '@lantern-room/adapters/forms'
import type { FunctionDependencies } from '../compose'
import { findFfmpeg } from '../ffmpeg/compose'

/** What the functions have beside others that encode videos. */
export function encodingTools(shared: FunctionDependencies) {
  return {
    ffmpeg: findFfmpeg(shared),
    webp: createSharpWebp(),
    processors: availableParallelism(),
    receiveForm,
    openFile: openFileSource,
  }
}
