import { silentLog } from '#support/values/testLog'
import type { Program } from '../../../../../local-runner/room/cli/compose'

/** The program `room` as a test runs it in its own process: on loopback, with its data in a folder, without a log. */
export function testProgram(folder: string, settings: Readonly<Record<string, string>>): Program {
  return {
    version: '1.2.3',
    env: { DATA_DIR: folder, ROOM_LAN_INTERFACES: '127.0.0.1', ...settings },
    folder,
    hasColour: false,
    isByNpm: false,
    log: silentLog(),
    isDebugging: false,
    openInBrowser: async () => false,
  }
}
