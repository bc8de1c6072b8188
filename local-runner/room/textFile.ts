import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '#core/log'
import type { RoomConfig } from '#core/room/config'
import { createKeptNodes, type KeptNodes } from '#core/room/service/kept/keptNodes'
import type { TextStore } from '#core/room/service/kept/roomKeeper'
import { ownFiles, removeFile, replaceFile } from './replaceFile'

/** A text in a file that only this user may read. A new text takes the place of the old one as a whole. */
export function createTextFile(path: string): TextStore {
  return {
    read: () => readFile(path, 'utf8').catch(() => undefined),
    async write(text) {
      await replaceFile(path, text, ownFiles)
    },
    remove: () => removeFile(path),
  }
}

/** Services and commands do not go back to each other's rooms. */
export type KeptFor = 'service' | 'command'

/**
 * The file of the room that comes back after a restart. Programs that run at the same time are players of their own, and so
 * have files of their own. It has the room code.
 */
export function createKeptRoomFile(dataFolder: string, keptFor: KeptFor, machineId: string): TextStore {
  return createTextFile(join(dataFolder, 'room', `kept-${keptFor}-${machineId.slice(0, 8)}.json`))
}

/** The shared nodes that were set at run time; programs of one data folder share them. */
export function keptNodesOf(
  config: Pick<RoomConfig, 'nodes' | 'nodesFrom'>,
  dataFolder: string,
  log: Log,
): KeptNodes {
  return createKeptNodes({ store: createTextFile(join(dataFolder, 'room', 'nodes.json')), config, log })
}
