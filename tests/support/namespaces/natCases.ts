import { type Closing, withClosing } from '../process/closing'
import type { RoomProcess } from '../room/roomProcess'
import { startEchoWorld } from './line'
import { openLan } from './namespaces'
import { type Meeting, type NatRoom, openFriend, openMeeting, openNatRoom, type WantedPath } from './natRoom'
import { type Houses, type NatPlace, openNatWorld } from './natWorld'

/** Two players, and how they should come together. */
export type NatCase = {
  readonly name: string
  /** Undefined for two machines on one switch, without internet. */
  readonly houses: Houses | undefined
  readonly path: WantedPath
  /** Undefined where either is right. */
  readonly carrier: 'udp' | 'tcp' | undefined
  /** From the order to join, in milliseconds, as medians; a guest is in the room before, through the shared node. */
  readonly goals: { readonly ok: number; readonly path: number }
}

/** Round trip of 40 ms from player to player, 20 ms to the shared node. */
const line = { delayMs: 10 }
const cone = { router: 'cone', line } as const
const symmetric = { router: 'symmetric', line } as const
const blocked = { ...cone, blocksUdp: true } as const
const firewalled = { ...symmetric, ipv6: 'firewalled' } as const
const bothFirewalled: Houses = { host: firewalled, guest: firewalled }
const opensAtHost: Houses = { host: { ...symmetric, opensPorts: 'upnp' }, guest: symmetric }
const opensAtGuest: Houses = { host: symmetric, guest: { ...symmetric, opensPorts: 'nat-pmp' } }
const withFriend: Houses = { host: symmetric, guest: symmetric, friend: { router: 'open', line } }

type Row = [string, Houses | undefined, WantedPath, 'udp' | 'tcp' | undefined, okMs: number, pathMs: number]

const rows: readonly Row[] = [
  ['cone and cone', { host: cone, guest: cone }, 'direct', 'udp', 600, 1000],
  ['a host behind a cone, a symmetric guest', { host: cone, guest: symmetric }, 'direct', 'udp', 600, 2000],
  ['a symmetric host, a guest behind a cone', { host: symmetric, guest: cone }, 'direct', 'udp', 600, 2000],
  ['symmetric and symmetric', { host: symmetric, guest: symmetric }, 'relay', undefined, 600, 600],
  ['symmetric both, the host’s router opens ports', opensAtHost, 'direct', 'udp', 600, 2000],
  ['symmetric both, the guest’s router opens ports', opensAtGuest, 'direct', 'udp', 600, 2000],
  ['symmetric both, a friend carries them', withFriend, 'friend', 'udp', 600, 5000],
  ['symmetric both, IPv6 firewalled both', bothFirewalled, 'direct', 'udp', 600, 1000],
  ['UDP blocked at the guest’s', { host: cone, guest: blocked }, 'direct', 'tcp', 600, 3000],
  ['UDP blocked at the host’s', { host: blocked, guest: cone }, 'direct', 'tcp', 600, 3000],
  ['one LAN without internet', undefined, 'direct', undefined, 500, 500],
]

export const natCases: readonly NatCase[] = rows.map(([name, houses, path, carrier, ok, pathMs]) => ({
  name,
  houses,
  path,
  carrier,
  goals: { ok, path: pathMs },
}))

export type OpenedCase = {
  readonly room: NatRoom
  readonly guest: Pick<NatPlace, 'inside'>
  /** Undefined where there is no internet. */
  readonly meeting: Meeting | undefined
  /** A guest in the third house, which carries for others; undefined without that house. */
  readonly friend: RoomProcess | undefined
}

/** Opens the case's world with a hosted room in it, in which the game echoes; and removes it after the work. */
export function withNatCase<T>({ houses }: NatCase, work: (opened: OpenedCase) => Promise<T>): Promise<T> {
  return withClosing(async (closing) => {
    const { places, meeting } = await (houses ? openHouses(houses, closing) : openSwitch(closing))
    const game = closing.keep(await startEchoWorld(places.host.inside))
    const settings = meeting?.settings ?? { ROOM_NODES: '', ROOM_STUN: '' }
    const room = closing.keep(await openNatRoom(places, game.port, settings))
    const friend = places.friend && closing.keep(await openFriend(places.friend, room, settings))
    return await work({ room, guest: places.guest, meeting, friend })
  })
}

async function openHouses(houses: Houses, closing: Closing) {
  const places = await openNatWorld(houses)
  closing.add(places.remove)
  return { places, meeting: closing.keep(await openMeeting(places.public)) }
}

async function openSwitch(closing: Closing) {
  const places = await openLan('host', 'guest')
  closing.add(places.remove)
  return { places: { ...places, friend: undefined }, meeting: undefined }
}
