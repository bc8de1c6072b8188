import { setTimeout as sleep } from 'node:timers/promises'
import { type Line, openLine, startEchoWorld } from '#support/namespaces/line'
import { runIn } from '#support/namespaces/namespaces'
import { openMeeting, openNatRoom } from '#support/namespaces/natRoom'
import { hasNat, openNatWorld, WHY_NO_NAT } from '#support/namespaces/natWorld'
import { closingOfEachTest } from '#support/process/closing'
import type { RoomProcess, RoomStatus } from '#support/room/roomProcess'
import { assert, suite } from '#support/runner/suite'
import { eventually, until } from '#support/values/until'

const test = suite('Rooms whose network changes', { timeoutMs: 480_000 })
const { keep, add } = closingOfEachTest(test)
const withRouters = test.skipUnless(hasNat, WHY_NO_NAT)

const HEALS_MS = 60_000
/** Longer than a player stays on the host's list without a sign. */
const SLEEP_MS = 20_000

withRouters(
  'another address in the LAN, and another of the line, heal by themselves, and directly',
  async () => {
    const { world, room, line } = await startPlaying()
    const { gamePort } = await room.guest.status()
    // The Wi-Fi of the guest gives another address.
    await changeAddress(world.guest.namespace, 'lan0', '192.168.22.2/24', '192.168.22.77/24', '192.168.22.1')
    await healed(room.guest, line)

    // The line of the host is dialled anew: the machine itself sees nothing of that.
    await changeAddress(world.host.router, 'wan0', '198.51.100.2/25', '198.51.100.77/25', '198.51.100.1')
    await healed(room.guest, line)
    assert.match(room.host.process.stderr(), /all shared nodes were lost/)
    assert.is((await room.guest.status()).gamePort, gamePort)
    assert.is((await room.host.status()).state, 'Host_Running')
  },
)

withRouters(
  'a machine that has slept, the guest’s or the host’s, is in the room again, and directly',
  async () => {
    const { world, room, line } = await startPlaying()
    for (const side of ['guest', 'host'] as const) {
      const { namespace } = world[side]
      const gateway = side === 'host' ? '192.168.11.1' : '192.168.22.1'
      // What sleeps runs no program, and its card is off.
      room[side].process.signal('SIGSTOP')
      await runIn(namespace, 'ip link set lan0 down')
      await sleep(SLEEP_MS)
      await runIn(namespace, 'ip link set lan0 up', `ip route replace default via ${gateway}`)
      room[side].process.signal('SIGCONT')
      await healed(room.guest, line)
      // The list may have been without the guest, who is on it again with the next heartbeat.
      await until('both are on the list', async () => (await room.host.status()).players.length === 2)
    }
  },
)

/** Two players behind routers who are connected directly, and a connection of the game between them. */
async function startPlaying() {
  const world = await openNatWorld({ host: { router: 'cone' }, guest: { router: 'cone' } })
  add(world.remove)
  const meeting = keep(await openMeeting(world.public))
  const game = keep(await startEchoWorld(world.host.inside))
  const room = keep(await openNatRoom(world, game.port, meeting.settings))
  const [joined] = await room.join('direct', 1, HEALS_MS)
  assert.ok(joined?.pathMs !== undefined, joined?.timeline.join('\n'))
  const { gamePort } = await room.guest.status()
  const line = keep(await openLine(gamePort, world.guest.inside))
  return { world, room, line }
}

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
  const isDirect = ({ state, network }: RoomStatus) => state === 'Guest_Running' && network?.path === 'direct'
  await eventually(guest.status, isDirect, { ms: HEALS_MS, everyMs: 200, story: guest.process.stderr })
  await line.goesOn(HEALS_MS)
}

test.run()
