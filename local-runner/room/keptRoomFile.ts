import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TextStore } from '#core/room/service/roomKeeper'
import { ownFiles, removeFile, replaceFile } from './replaceFile'

/** Services and commands do not go back to each other's rooms. */
export type KeptFor = 'service' | 'command'

/**
 * The file of the room that comes back after a restart. Programs that run at the same time are players of their own, and so
 * have files of their own. Only this user may read it: it has the room code.
 */
export function createKeptRoomFile(dataFolder: string, keptFor: KeptFor, machineId: string): TextStore {
  const path = join(dataFolder, 'room', `kept-${keptFor}-${machineId.slice(0, 8)}.json`)
  return {
    read: () => readFile(path, 'utf8').catch(() => undefined),
    async write(text) {
      await replaceFile(path, text, ownFiles)
    },
    remove: () => removeFile(path),
  }
}
