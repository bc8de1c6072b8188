import { createMemoryNetwork } from '../network/memoryNetwork'
import { makeTempFolder, removeFolders } from '../process/tempFolder'
import { type RoomProcess, type RoomProcessOptions, startRoomProcess } from '../room/roomProcess'
import { type InnerTarget, openServedTarget } from '../room/roomTargets'
import { startWorld, type TestWorld } from '../room/testWorld'
import { suite } from '../runner/suite'
import { browserPath, type OpenPage, WHY_NO_BROWSER } from './browser'
import { browserOfSuite, choose } from './browserOfSuite'

/** A suite of the room page. What a test opens is closed after it, the last one first. */
export function roomPageSuite(title: string, timeoutMs = 240_000) {
  const test = suite(title, { timeoutMs })
  const { open, closing } = browserOfSuite(test)
  return {
    test,
    inBrowser: test.skipUnless(browserPath, WHY_NO_BROWSER),
    open,
    closing,
    /** The built service. */
    async startRoom(options: RoomProcessOptions = {}): Promise<RoomProcess> {
      const room = await startRoomProcess(options)
      closing.push(room.close)
      return room
    },
    /** The service in this process, alone in a network in memory. */
    async startTarget(): Promise<InnerTarget> {
      const target = await openServedTarget(createMemoryNetwork().roomNetwork)
      closing.push(target.stop)
      return target
    },
    async openWorld(options: Parameters<typeof startWorld>[0] = { announced: true }): Promise<TestWorld> {
      const world = await startWorld(options)
      closing.push(world.close)
      return world
    },
    async makeFolder(name: string): Promise<string> {
      const folder = await makeTempFolder(name)
      closing.push(() => removeFolders(folder))
      return folder
    },
  }
}

export function button(page: OpenPage, name: string) {
  return page.getByRole('button', { name, exact: true })
}

/** Goes to the form of the host, until the world of this computer is chosen there. */
export async function chooseWorld(page: OpenPage): Promise<void> {
  await choose(page, 'host')
  await page.locator('.world input:checked').waitFor()
}
