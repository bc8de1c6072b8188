import { startEchoWorld } from './line'
import { openLan } from './namespaces'
import { type Meeting, type NatRoom, openMeeting, openNatRoom } from './natRoom'
import { type House, type NatPlace, openNatWorld } from './natWorld'

/** Two players, and how they should come together. */
export type NatCase = {
  readonly name: string
  /** Undefined for two machines on one switch, without internet. */
  readonly houses: { readonly host: House; readonly guest: House } | undefined
  /** Whether a node is configured that never answers, beside the living one. */
  readonly hasDeadNode?: true
  readonly path: 'direct' | 'relay'
  /** Undefined where either is right. */
  readonly carrier: 'udp' | 'tcp' | undefined
  /** From the order to join, in milliseconds, as medians; a guest is in the room before, through the shared node. */
  readonly goals: { readonly ok: number; readonly path: number }
}

/** Round trip of 40 ms from player to player, 20 ms to the shared node. */
const line = { delayMs: 10 }
const cone = { router: 'cone', line } as const
const symmetric = { router: 'symmetric', line } as const
const ok = 600

export const natCases: readonly NatCase[] = [
  {
    name: 'cone and cone',
    houses: { host: cone, guest: cone },
    path: 'direct',
    carrier: 'udp',
    goals: { ok, path: 1000 },
  },
  {
    name: 'a host behind a cone, a symmetric guest',
    houses: { host: cone, guest: symmetric },
    path: 'direct',
    carrier: 'udp',
    goals: { ok, path: 2000 },
  },
  {
    name: 'a symmetric host, a guest behind a cone',
    houses: { host: symmetric, guest: cone },
    path: 'direct',
    carrier: 'udp',
    goals: { ok, path: 2000 },
  },
  {
    name: 'symmetric and symmetric',
    houses: { host: symmetric, guest: symmetric },
    path: 'relay',
    carrier: undefined,
    goals: { ok, path: ok },
  },
  {
    name: 'symmetric both, the host’s router opens ports',
    houses: { host: { ...symmetric, opensPorts: 'upnp' }, guest: symmetric },
    path: 'direct',
    carrier: 'udp',
    goals: { ok, path: 2000 },
  },
  {
    name: 'symmetric both, the guest’s router opens ports',
    houses: { host: symmetric, guest: { ...symmetric, opensPorts: 'pcp' } },
    path: 'direct',
    carrier: 'udp',
    goals: { ok, path: 2000 },
  },
  {
    name: 'symmetric both, IPv6 firewalled both',
    houses: {
      host: { ...symmetric, ipv6: 'firewalled' },
      guest: { ...symmetric, ipv6: 'firewalled' },
    },
    path: 'direct',
    carrier: 'udp',
    goals: { ok, path: 1000 },
  },
  {
    name: 'UDP blocked at the guest’s',
    houses: { host: cone, guest: { ...cone, blocksUdp: true } },
    path: 'direct',
    carrier: 'tcp',
    goals: { ok, path: 3000 },
  },
  {
    name: 'UDP blocked at the host’s',
    houses: { host: { ...cone, blocksUdp: true }, guest: cone },
    path: 'direct',
    carrier: 'tcp',
    goals: { ok, path: 3000 },
  },
  {
    name: 'one LAN without internet',
    houses: undefined,
    path: 'direct',
    carrier: undefined,
    goals: { ok: 500, path: 500 },
  },
]

export type OpenedCase = {
  readonly room: NatRoom
  readonly guest: Pick<NatPlace, 'inside'>
  /** Undefined where there is no internet. */
  readonly meeting: Meeting | undefined
}

/** Opens the case's world with a hosted room in it, in which the game echoes; and removes it after the work. */
export async function withNatCase<T>(
  { houses, hasDeadNode }: NatCase,
  work: (opened: OpenedCase) => Promise<T>,
): Promise<T> {
  const closing: (() => Promise<unknown>)[] = []
  const keep = async <O>(opened: Promise<O>, end: (one: O) => Promise<unknown>): Promise<O> => {
    const one = await opened
    closing.push(() => end(one))
    return one
  }
  try {
    const { places, meeting } = await (houses ? internet(houses) : lan())
    const game = await keep(startEchoWorld(places.host.inside), (one) => one.close())
    const own = meeting?.settings ?? { ROOM_NODES: '', ROOM_STUN: '' }
    const settings = hasDeadNode ? { ...own, ROOM_NODES: `${own.ROOM_NODES},tcp://192.0.2.99:11010` } : own
    const room = await keep(openNatRoom(places, game.port, settings), (one) => one.close())
    return await work({ room, guest: places.guest, meeting })
  } finally {
    for (const end of closing.reverse()) await end()
  }

  async function internet(two: { readonly host: House; readonly guest: House }) {
    const places = await keep(openNatWorld(two), (one) => one.remove())
    const meeting = await keep(openMeeting(places.public), (one) => one.close())
    return { places, meeting }
  }

  async function lan() {
    const places = await keep(openLan('host', 'guest'), (one) => one.remove())
    return { places, meeting: undefined }
  }
}
