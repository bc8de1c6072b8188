import { setTimeout as sleep } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { type Line, openLine, startEchoWorld } from '#support/namespaces/line'
import { openMeeting, openNatRoom } from '#support/namespaces/natRoom'
import { hasNat, openNatWorld, runIn, WHY_NO_NAT } from '#support/namespaces/natWorld'
import type { RoomProcess } from '#support/room/roomProcess'
import { suite } from '#support/runner/suite'

const test = suite('Rooms whose network changes', { timeoutMs: 240_000 })
const withRouters = test.skipUnless(hasNat, WHY_NO_NAT)

const HEALS_MS = 60_000

withRouters(
  'another address in the LAN, and another of the line, heal by themselves, and directly',
  async () => {
    const world = await openNatWorld({ host: { router: 'cone' }, guest: { router: 'cone' } })
    const closing: (() => Promise<unknown>)[] = [world.remove]
    try {
      const meeting = await openMeeting(world.public)
      closing.push(meeting.close)
      const game = await startEchoWorld(world.host.inside)
      closing.push(game.close)
      const room = await openNatRoom(world, game.port, meeting.settings)
      closing.push(room.close)
      const [joined] = await room.join('direct', 1, HEALS_MS)
      assert.ok(joined?.pathMs !== undefined, joined?.timeline.join('\n'))
      const { gamePort } = await room.guest.status()
      const line = await openLine(gamePort, world.guest.inside)
      closing.push(line.close)

      // The Wi-Fi of the guest gives another address.
      await changeAddress(
        world.guest.namespace,
        'lan0',
        '192.168.22.2/24',
        '192.168.22.77/24',
        '192.168.22.1',
      )
      await healed(room.guest, line)

      // The line of the host is dialled anew: the machine itself sees nothing of that.
      await changeAddress(world.host.router, 'wan0', '198.51.100.2/25', '198.51.100.77/25', '198.51.100.1')
      await healed(room.guest, line)
      assert.match(room.host.process.stderr(), /all shared nodes were lost/)
      assert.is((await room.guest.status()).gamePort, gamePort)
      assert.is((await room.host.status()).state, 'Host_Running')
    } finally {
      for (const close of closing.reverse()) await close()
    }
  },
)

/** Removing an address makes the router forget what it has mapped to it. */
async function changeAddress(
  namespace: string,
  card: string,
  before: string,
  after: string,
  gateway: string,
): Promise<void> {
  await runIn(
    namespace,
    `ip addr del ${before} dev ${card}`,
    `ip addr add ${after} dev ${card}`,
    `ip route replace default via ${gateway}`,
  )
}

/** The game's own connection has lived through it, and needs no shared node. */
async function healed(guest: RoomProcess, line: Line): Promise<void> {
  await line.goesOn(HEALS_MS)
  for (const limit = Date.now() + HEALS_MS; ; await sleep(200)) {
    const { state, network } = await guest.status()
    if (state === 'Guest_Running' && network?.path === 'direct') return line.goesOn(HEALS_MS)
    if (Date.now() > limit) {
      throw new Error(`${state} by ${network?.path} after ${HEALS_MS} ms\n${guest.process.stderr()}`)
    }
  }
}

test.run()
