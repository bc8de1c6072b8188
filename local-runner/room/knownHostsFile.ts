import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TextStore } from '#core/room/service/roomKeeper'
import { ownFiles, removeFile, replaceFile } from './replaceFile'

/** The file of the keys of private rooms' hosts. Programs of one data folder share it. */
export function createKnownHostsFile(dataFolder: string): TextStore {
  const path = join(dataFolder, 'room', 'known-hosts.json')
  return {
    read: () => readFile(path, 'utf8').catch(() => undefined),
    async write(text) {
      await replaceFile(path, text, ownFiles)
    },
    remove: () => removeFile(path),
  }
}
