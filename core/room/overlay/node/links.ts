import type { Clock } from '../../ports'
import { handshakeRequest } from '../wire/messages'
import {
  decodePacket,
  encodePacket,
  encodePing,
  encodePong,
  type Packet,
  packetTypes,
  sequenceOf,
} from '../wire/packet'
import type { Greeting } from './greeting'
import type { Link, LinkOrigin, LinkProblem } from './link'

export type LinksOptions = {
  readonly ownId: number
  readonly greeting: Greeting
  readonly clock: Clock
  /** Sends a whole packet. */
  readonly send: (link: number, packet: Uint8Array) => void
  /** Closes what carries the link. */
  readonly close: (link: number) => void
  readonly onOpen: (link: Link) => void
  /** @param wasOpen whether the handshake was done */
  readonly onClosed: (link: Link, problem: LinkProblem, wasOpen: boolean) => void
  /** Anything but handshakes, pings and pongs. */
  readonly onPacket: (packet: Packet, link: Link) => void
  /** Another link may be the best one now. */
  readonly onChange: () => void
}

/** All links of a peer: handshake, pings, and which one is best for a neighbour. */
export type Links = {
  add(id: number, origin: LinkOrigin): void
  /** The carrier has closed. */
  remove(id: number): void
  receive(id: number, bytes: Uint8Array): void
  /** The link has brought something that was not for us. */
  heard(id: number): void
  /** Closes a link. */
  drop(id: number, problem: LinkProblem): void
  best(peerId: number): Link | undefined
  neighbours(): readonly number[]
  list(): readonly Link[]
  /** To be called every half second. */
  tick(): void
  close(): void
}

const HANDSHAKE_MS = 5000
const PING_MS = 3000
const FIRST_PINGS_MS = 400
/** Where an answer is this late, another way is better. */
const SHAKY_MS = 1500
const SILENT_MS = 12_000
const MAX_HALF_OPEN = 32

type State = {
  readonly id: number
  readonly origin: LinkOrigin
  peerId: number
  isSharedNode: boolean
  roundTrip: number | undefined
  isOpen: boolean
  readonly since: number
  heardAt: number
  sequence: number
  pings: number
  sentAt: number
  /** Since when a ping waits for its answer. */
  waitsSince: number | undefined
  nextPingAt: number
}

export function createLinks(options: LinksOptions): Links {
  const { ownId, greeting, clock, send } = options
  const links = new Map<number, State>()

  return {
    add(id, origin) {
      const now = clock.now()
      // Whoever means it is done after a round trip: among too many the one that has waited longest makes room.
      const halfOpen = [...links.values()].filter((link) => !link.isOpen && !link.origin.isDialler)
      const [oldest] = halfOpen.length >= MAX_HALF_OPEN ? halfOpen : []
      if (!origin.isDialler && oldest) drop(oldest.id, 'no-handshake')
      links.set(id, {
        ...{ id, origin, peerId: 0, isSharedNode: false, roundTrip: undefined, isOpen: false },
        ...{
          since: now,
          heardAt: now,
          sequence: 0,
          pings: 0,
          sentAt: now,
          waitsSince: undefined,
          nextPingAt: now,
        },
      })
      if (origin.isDialler) send(id, handshake(greeting.hello()))
    },

    remove: (id) => forget(id, 'closed'),
    drop,

    receive(id, bytes) {
      const link = links.get(id)
      const packet = link && decodePacket(bytes)
      if (!link || !packet) return
      if (!link.isOpen) return greet(link, packet)
      link.heardAt = clock.now()
      if (packet.type === packetTypes.ping) return send(id, encodePong(bytes))
      if (packet.type === packetTypes.pong) return takePong(link, packet)
      if (packet.type !== packetTypes.handshake) options.onPacket(packet, link)
    },

    heard(id) {
      const link = links.get(id)
      if (link) link.heardAt = clock.now()
    },

    best(peerId) {
      let best: State | undefined
      for (const link of links.values()) {
        if (!link.isOpen || link.peerId !== peerId) continue
        if (!best || isBetter(link, best, clock.now())) best = link
      }
      return best
    },

    neighbours: () => [
      ...new Set([...links.values()].flatMap(({ isOpen, peerId }) => (isOpen ? [peerId] : []))),
    ],
    list: () => [...links.values()],

    tick() {
      const now = clock.now()
      for (const link of [...links.values()]) {
        if (!link.isOpen) {
          if (now - link.since >= HANDSHAKE_MS) drop(link.id, 'no-handshake')
          continue
        }
        if (now - link.heardAt >= SILENT_MS) {
          drop(link.id, 'silent')
          continue
        }
        if (now >= link.nextPingAt) ping(link, now)
      }
    },

    close() {
      for (const id of [...links.keys()]) drop(id, 'closed')
    },
  }

  function handshake(payload: Uint8Array): Uint8Array {
    return encodePacket({ from: ownId, to: 0, type: packetTypes.handshake }, payload)
  }

  /** On UDP other packets may overtake the handshake: they are passed over. */
  function greet(link: State, packet: Packet) {
    const { isDialler } = link.origin
    const hello = packet.type === packetTypes.handshake ? handshakeRequest.decode(packet.payload) : undefined
    if (!hello) {
      if (!isDialler) drop(link.id, 'refused')
      return
    }
    const { answer, problem, isSharedNode } = greeting.judge(hello, link.origin)
    if (answer) send(link.id, handshake(answer))
    if (problem) return drop(link.id, problem)
    link.peerId = hello.myPeerId
    link.isSharedNode = isSharedNode
    link.isOpen = true
    const now = clock.now()
    link.roundTrip = isDialler ? Math.max(0, now - link.since) : undefined
    link.heardAt = now
    options.onOpen(link)
    ping(link, now)
  }

  function ping(link: State, now: number): void {
    link.sequence = (link.sequence + 1) >>> 0
    link.pings += 1
    link.sentAt = now
    link.waitsSince ??= now
    // The first ones come close together, so that there is a figure for the round trip.
    link.nextPingAt = now + (link.pings < 3 ? FIRST_PINGS_MS : PING_MS)
    send(link.id, encodePing(ownId, link.peerId, link.sequence))
  }

  function takePong(link: State, packet: Packet): void {
    if (link.waitsSince === undefined || sequenceOf(packet) !== link.sequence) return
    const measured = clock.now() - link.sentAt
    link.waitsSince = undefined
    const before = link.roundTrip
    link.roundTrip = before === undefined || link.pings <= 2 ? measured : before + (measured - before) / 4
    options.onChange()
  }

  function drop(id: number, problem: LinkProblem): void {
    if (!links.has(id)) return
    forget(id, problem)
    options.close(id)
  }

  function forget(id: number, problem: LinkProblem): void {
    const link = links.get(id)
    if (!link) return
    links.delete(id)
    options.onClosed(link, problem, link.isOpen)
  }
}

/** Within a house TCP is the cheaper one; over the internet it stands still at every lost packet. */
const NEAR_MS = 3

function isBetter(one: State, other: State, now: number): boolean {
  const [shakyOne, shakyOther] = [isShaky(one, now), isShaky(other, now)]
  if (shakyOne !== shakyOther) return shakyOther
  return cost(one) < cost(other)
}

/** A ping waits too long for its answer. */
function isShaky({ waitsSince, heardAt }: State, now: number): boolean {
  return waitsSince !== undefined && now - waitsSince > SHAKY_MS && now - heardAt > SHAKY_MS
}

function cost({ roundTrip = 500, origin }: State): number {
  const isNear = roundTrip <= NEAR_MS
  const isPreferred = isNear ? origin.carrier === 'tcp' : origin.carrier === 'udp'
  return isNear ? (isPreferred ? 0 : NEAR_MS) : isPreferred ? roundTrip : roundTrip * 1.3 + 10
}
