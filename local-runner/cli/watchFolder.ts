import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { EXIT_OK } from '../commandLine/failure'
import { printable } from '../commandLine/readArguments'
import { about } from './failure'
import type { MotionPhotoDependencies } from './motionPhotoDependencies'
import type { WatchCommand } from './parseMotionPhotoCommand'
import { type BatchIo, createPhotoMaker, reportOutcome } from './runBatch'
import { NOTHING_SEEN, nextLook } from './settledFiles'

/** Two looks apart, a file that is still written has grown. */
const LOOK_EACH_MS = 1000

/**
 * Makes a photo of each video that comes into a folder, as soon as it is whole, until the signal ends it. Photos that are there
 * already are left as they are, so that the same command goes on where it was.
 * @returns 0 when the signal ended it
 * @throws as `runBatch`; `not-found` when there is no such folder
 */
export async function watchFolder(
  command: WatchCommand,
  dependencies: MotionPhotoDependencies,
  io: BatchIo,
): Promise<number> {
  const { watched, folder, isQuiet, optionsOf } = command
  const { files } = dependencies
  await about(watched, () => files.listFiles(watched))
  await about(folder, () => files.makeFolder(folder))
  const makeOne = createPhotoMaker(dependencies)
  if (!isQuiet) io.stderr.write(`Watching ${printable(watched)}. Ctrl-C ends it.\n`)
  let seen = NOTHING_SEEN
  try {
    while (!io.signal.aborted) {
      const look = nextLook(seen, await about(watched, () => files.listFiles(watched)))
      seen = look.seen
      for (const name of look.ready) {
        const video = optionsOf(join(watched, name))
        reportOutcome(io, video, await makeOne(video, io.signal))
      }
      await sleep(LOOK_EACH_MS, undefined, { signal: io.signal })
    }
  } catch (error) {
    if (!io.signal.aborted) throw error
  }
  if (!isQuiet) io.stderr.write('Stopped. The photos that are listed are whole.\n')
  return EXIT_OK
}
