import { createSystemClock } from '@lantern-room/adapters/system'
import { closingOfEachTest } from '../process/closing'
import { assert, type Test } from '../runner/suite'
import { createVirtualNet } from '../virtualNet/virtualNet'
import { openRoom } from './openRoom'
import { testRoomNetwork } from './testRoomNetwork'
import { startWorld } from './testWorld'

type NetworkOptions = Omit<Parameters<typeof testRoomNetwork>[0], 'transports' | 'clock'>

/**
 * Rooms on machines of one net in memory, with real sockets of loopback beside it. What a test opens is closed after it, and
 * must leave nothing open in the net.
 */
export function virtualPlayersOf<T>(test: Pick<Test<T>, 'after'>) {
  const clock = createSystemClock()
  const net = createVirtualNet({ clock, random: Math.random, delayMs: 1 })
  const { keep, add } = closingOfEachTest(test)
  test.after.each(() => assert.equal(net.leaks(), []))
  const open = (address: string, options: NetworkOptions = {}, env: Record<string, string> = {}) =>
    keep(openRoom(testRoomNetwork({ ...options, transports: net.machine(address).transports, clock }), env))
  const announceWorld = async () => keep(await startWorld({ announced: true }))
  return {
    net,
    clock,
    add,
    open,
    announceWorld,
    /** A world on the LAN, and a host and a guest beside it. */
    async startPlayers() {
      const world = await announceWorld()
      const host = open('192.168.1.2')
      return { world, host, guest: open('192.168.1.3', {}, { ROOM_HEARTBEAT_MS: '200' }) }
    },
  }
}
