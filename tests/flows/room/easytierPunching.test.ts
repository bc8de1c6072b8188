import { setTimeout as sleep } from 'node:timers/promises'
import type { Guest } from '#support/easytier/guests'
import type { Host } from '#support/easytier/hosts'
import { untilTypeKnown } from '#support/easytier/program'
import { canRun, print, WHY_NOT } from '#support/easytier/report'
import { PAIRS, type Pair } from '#support/easytier/testbed'
import { isDirectBy, observedRoute, waitForRoute } from '#support/easytier/waitForRoute'
import { openLine } from '#support/namespaces/line'
import { hasSlowLine, WHY_NO_SLOW_LINE } from '#support/namespaces/natLine'
import { type House, hasNat, WHY_NO_NAT } from '#support/namespaces/natWorld'
import type { RoomProcess } from '#support/room/roomProcess'
import { assert, suite } from '#support/runner/suite'
import { eventually, until } from '#support/values/until'
import { type Neighbours, withNeighbours } from './easytierNeighbours'

const test = suite('Rooms with the real program: behind routers', { timeoutMs: 180_000 })
const whyNot = canRun ? (hasNat ? WHY_NO_SLOW_LINE : WHY_NO_NAT) : WHY_NOT
const withReal = test.skipUnless(canRun && hasNat && hasSlowLine, whyNot)

const line = { delayMs: 10 }
const cone = { router: 'cone', line } as const
const symmetric = { router: 'symmetric', line } as const
const withoutUdp = { ...cone, blocksUdp: true } as const

type Case = {
  readonly name: string
  readonly houses: { readonly host: House; readonly guest: House }
  /** At last: punched TCP may stand before UDP does. */
  readonly carrier: 'udp' | 'tcp'
  /** From the order to join. */
  readonly limitMs: number
  readonly flags: readonly string[]
}

/** Nobody can dial the real one, and it does not punch by TCP. */
const UDP_ONLY = ['--listeners', 'tcp://127.0.0.1:11010', '--disable-tcp-hole-punching']

/** A real one behind such a router then only answers. */
const PASSIVE = ['--disable-sym-hole-punching', ...UDP_ONLY]

const rows: readonly (readonly [
  string,
  Case['houses'],
  Case['carrier'],
  limitMs: number,
  flags?: string[],
])[] = [
  ['cone and cone', { host: cone, guest: cone }, 'udp', 30_000],
  ['cone and cone, --p2p-only', { host: cone, guest: cone }, 'udp', 30_000, ['--p2p-only']],
  ['cone and cone, punched by UDP alone', { host: cone, guest: cone }, 'udp', 30_000, UDP_ONLY],
  ['a symmetric guest', { host: cone, guest: symmetric }, 'udp', 90_000],
  ['a symmetric host', { host: symmetric, guest: cone }, 'udp', 90_000],
  ['a symmetric guest, all by us', { host: cone, guest: symmetric }, 'udp', 90_000, PASSIVE],
  ['a symmetric host, all by us', { host: symmetric, guest: cone }, 'udp', 90_000, PASSIVE],
  ['UDP blocked at the guest’s', { host: cone, guest: withoutUdp }, 'tcp', 60_000],
  ['UDP blocked at the host’s', { host: withoutUdp, guest: cone }, 'tcp', 60_000],
]
const CASES = rows.map(
  ([name, houses, carrier, limitMs, flags = []]): Case => ({ name, houses, carrier, limitMs, flags }),
)

const SIZE = 256 << 10
const STAYS_MS = 1500

for (const pair of PAIRS)
  for (const one of CASES)
    withReal(`${pair.title}: ${one.name}: they get a way of their own`, () =>
      withNeighbours(one.houses, (neighbours) => meet(neighbours, pair, one)),
    )

async function meet(neighbours: Neighbours, pair: Pair, one: Case): Promise<void> {
  const { workers, meeting, world } = neighbours
  const host = await neighbours.host(pair.host, one.flags)
  if (host.core && !one.houses.host.blocksUdp) {
    const type = await untilTypeKnown(host.core())
    assert.match(type, one.houses.host.router === 'symmetric' ? /^Symmetric/ : /Restricted/)
  }
  const guest = await neighbours.guest(pair.guest, host, one.flags)
  const echo = { do: 'echo', port: guest.port, size: SIZE, isText: false } as const
  try {
    await waitForRoute(host, guest, isDirectBy(one.carrier), one.limitMs)
    // As a launcher does: a member without a player is cut off after 15 s, and a path may take longer.
    if (guest.core) await workers.guest.run({ do: 'greet', port: host.roomPort })
    if (guest.service) await untilTold(guest.service, one.carrier)
    const [way, first] = [await firstWay(host, guest, one.carrier), await firstWay(host, guest)]
    const after = (entry: Entry) => Date.parse(entry.time) - guest.orderedAt
    const echoMs = await workers.guest.run(echo)
    const going = await openLine(guest.port, world.guest.inside)
    try {
      await meeting.kill()
      await sleep(STAYS_MS)
      await going.goesOn()
      await workers.guest.run(echo)
    } finally {
      await going.close()
    }
    assert.is((await observedRoute(host, guest))?.cost, 'p2p')
    print(`${pair.title}, ${one.name}, ${wordsFor(way, host, guest)}`, {
      'first echo after': guest.firstEchoMs,
      [`direct by ${first.transport} after`]: after(first),
      [`direct by ${way.transport} after`]: after(way),
      '256 KiB': echoMs,
    })
  } catch (error) {
    console.log(story(host, guest))
    throw error
  }
}

type Entry = { readonly time: string; readonly message: string } & Record<string, unknown>

/** What our side has written of it. */
function logOf({ service }: Host | Guest): readonly Entry[] {
  const process = typeof service === 'function' ? service().process : service?.process
  const lines = process?.stderr().split('\n') ?? []
  return lines
    .filter((text) => text.startsWith('{') && !text.includes('"message":"request"'))
    .map((text) => JSON.parse(text) as Entry)
}

/** The first that our side has had to the other one, which may have known of it a moment before. */
async function firstWay(host: Host, guest: Guest, carrier?: string): Promise<Entry> {
  const isIt = ({ message, transport }: Entry) =>
    message === 'connected to a member' && (carrier ?? transport) === transport
  const found = () => [...logOf(host), ...logOf(guest)].filter(isIt)
  await until(`our side tells of a way by ${carrier}`, () => found().length > 0, { ms: 5000 })
  return found()[0] as Entry
}

/** What our guest tells its player. */
async function untilTold(service: RoomProcess, carrier: string): Promise<void> {
  const look = async () => (await service.status()).network
  await eventually(look, (network) => network?.path === 'direct' && network.carrier === carrier)
}

/** By which carrier, and who has done it, as far as our side can tell. */
function wordsFor({ transport, isPunched }: Entry, host: Host, guest: Guest): string {
  const isOurs = [...logOf(host), ...logOf(guest)].some(
    ({ message }) => message === 'hole punching opened a path',
  )
  return `by ${transport}, ${isOurs ? 'punched by us' : isPunched ? 'punched' : 'to a listener'}`
}

function story(host: Host, guest: Guest): string {
  return [...logOf(host), ...logOf(guest)]
    .map(({ time, ...entry }) => `${Date.parse(time) - guest.orderedAt} ms ${JSON.stringify(entry)}`)
    .join('\n')
}

test.run()
