import type { Clock } from '#core/clock'
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
import type { Handshake } from './handshake'
import type { ConnectionOrigin, ConnectionProblem, PeerConnection } from './peerConnection'

export type ConnectionsOptions = {
  readonly ownId: number
  readonly greeting: Handshake
  readonly clock: Clock
  /** Sends a whole packet. */
  readonly send: (link: number, packet: Uint8Array) => void
  /** Closes what carries the link. */
  readonly close: (link: number) => void
  readonly onOpen: (link: PeerConnection) => void
  /** @param wasOpen whether the handshake was done */
  readonly onClosed: (link: PeerConnection, problem: ConnectionProblem, wasOpen: boolean) => void
  /** Anything but handshakes, pings and pongs. */
  readonly onPacket: (packet: Packet, link: PeerConnection) => void
  /** Another link may be the best one now. */
  readonly onChange: () => void
  /** Whether anybody is reached through this neighbour. */
  readonly isUsed: (link: PeerConnection) => boolean
}

/** All links of a peer: handshake, pings, and which one is best for a neighbour. */
export type Connections = {
  add(id: number, origin: ConnectionOrigin): void
  /** The transport has closed. */
  remove(id: number): void
  receive(id: number, bytes: Uint8Array): void
  /** The link has brought something that was not for us: its peer is relayed. */
  heard(id: number): void
  /** Closes a link. */
  drop(id: number, problem: ConnectionProblem): void
  best(peerId: number): PeerConnection | undefined
  neighbours(): readonly number[]
  list(): readonly PeerConnection[]
  /** To be called every half second. */
  tick(): void
  /** The network has changed: a link that does not answer soon is gone. */
  doubt(): void
  close(): void
}

const HANDSHAKE_MS = 5000
/** Over UDP one that is lost does not come again: dialling anew is sooner. */
const UDP_HANDSHAKE_MS = 2500
/** On the link that packets take. */
const PING_MS = 3000
const FIRST_PINGS_MS = 400
/** On all others. Who has accepted waits longer, so that one ping serves both sides: it proves as much as its answer. */
const SPARE_PING_MS = { dialler: 10_000, acceptor: 13_000 }
/** The round trip is measured so often all the same. */
const MEASURE_MS = 30_000
/** Where an answer is this late, another way is better: it is looked for so often. */
const SHAKY_MS = 1500
/** A ping has waited so long, and nothing else has come. */
const SILENT_MS = 7000
/** Nothing has come for so long: this machine has slept. */
const SLEPT_MS = 35_000
/** Whoever was relayed so lately will be again: members of a room tell each other something every 5 s. */
const RELAYED_MS = 10_000
/** After the network has changed: what answers at all has done so by then, also where a ping is lost. */
const DOUBTED_MS = 3000
const DOUBTED_PING_MS = 900
/** Where there is less reason for a doubt. */
const SUSPECTED_MS = 5500
const MAX_HALF_OPEN = 32

type State = {
  readonly id: number
  readonly origin: ConnectionOrigin
  peerId: number
  isSharedNode: boolean
  roundTrip: number | undefined
  isOpen: boolean
  readonly since: number
  heardAt: number
  relayedAt: number
  answeredAt: number | undefined
  sequence: number
  pings: number
  sentAt: number
  /** Since when a ping waits for its answer. */
  waitsSince: number | undefined
  /** Set until a ping with this number, or a later one, is answered; or, where that is not needed, until anything comes. */
  doubt: { readonly until: number; readonly sequence: number; readonly needsAnswer: boolean } | undefined
}

export function createConnections(options: ConnectionsOptions): Connections {
  const { ownId, greeting, clock, send } = options
  const links = new Map<number, State>()
  let isClosing = false

  return {
    add(id, origin) {
      const now = clock.now()
      // Whoever means it is done after a round trip: among too many the one that has waited longest makes room.
      const halfOpen = [...links.values()].filter((link) => !link.isOpen && !link.origin.isDialler)
      const [oldest] = halfOpen.length >= MAX_HALF_OPEN ? halfOpen : []
      if (!origin.isDialler && oldest) drop(oldest.id, 'no-handshake')
      links.set(id, {
        id,
        origin,
        peerId: 0,
        isSharedNode: false,
        roundTrip: undefined,
        isOpen: false,
        since: now,
        heardAt: now,
        relayedAt: Number.NEGATIVE_INFINITY,
        answeredAt: undefined,
        sequence: 0,
        pings: 0,
        sentAt: now,
        waitsSince: undefined,
        doubt: undefined,
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
      takeSign(link)
      if (packet.type === packetTypes.ping) return send(id, encodePong(bytes))
      if (packet.type === packetTypes.pong) return takePong(link, packet)
      if (packet.type !== packetTypes.handshake) options.onPacket(packet, link)
    },

    heard(id) {
      const link = links.get(id)
      if (!link) return
      takeSign(link)
      link.relayedAt = link.heardAt
    },

    best(peerId) {
      let best: State | undefined
      for (const link of links.values()) {
        if (!link.isOpen || link.peerId !== peerId) continue
        if (!best || isBetter(link, best, clock.now())) best = link
      }
      return best
    },

    neighbours() {
      const ids = new Set<number>()
      for (const { isOpen, peerId } of links.values()) if (isOpen) ids.add(peerId)
      return [...ids]
    },
    list: () => [...links.values()],

    tick() {
      const now = clock.now()
      const { used, shaky } = judged(now)
      if (shaky.size > 0) doubtSharedNodes()
      for (const link of [...links.values()]) {
        if (!link.isOpen) {
          if (now - link.since >= handshakeLimit(link)) drop(link.id, 'no-handshake')
        } else if (isSilent(link, now)) drop(link.id, 'silent')
        else if (link.doubt) pingAfter(DOUBTED_PING_MS, link)
        else if (shaky.has(link.peerId)) pingAfter(SHAKY_MS, link)
        else if (link.pings < 3) pingAfter(FIRST_PINGS_MS, link)
        else if (link.waitsSince !== undefined || used.has(link)) pingAfter(PING_MS, link)
        else if (now >= spareDue(link)) ping(link, now)
      }

      function pingAfter(ms: number, link: State): void {
        if (now >= link.sentAt + ms) ping(link, now)
      }
    },

    doubt: () => doubtThose(() => true, DOUBTED_MS, true),

    close() {
      isClosing = true
      for (const id of [...links.keys()]) drop(id, 'closed')
    },
  }

  /** The links that packets take, and the neighbours of which one does not answer. */
  function judged(now: number) {
    const best = new Map<number, State>()
    const shaky = new Set<number>()
    const relayed = new Set<number>()
    for (const link of links.values()) {
      if (!link.isOpen) continue
      if (isShaky(link, now)) shaky.add(link.peerId)
      if (now - link.relayedAt < RELAYED_MS) relayed.add(link.peerId)
      const other = best.get(link.peerId)
      if (!other || isBetter(link, other, now)) best.set(link.peerId, link)
    }
    const isUsed = (link: State) => relayed.has(link.peerId) || options.isUsed(link)
    return { used: new Set([...best.values()].filter(isUsed)), shaky }
  }

  /**
   * Where a neighbour does not answer, or has gone, the way by a shared node may be needed next, and may have ended with it:
   * that is not to be noticed later, one after the other.
   */
  function doubtSharedNodes(): void {
    const isQuiet = ({ heardAt }: State) => clock.now() - heardAt > SHAKY_MS
    doubtThose((link) => link.isSharedNode && !link.doubt && isQuiet(link), SUSPECTED_MS, false)
  }

  function doubtThose(isMeant: (link: State) => boolean, ms: number, needsAnswer: boolean): void {
    const now = clock.now()
    for (const link of links.values()) {
      if (!link.isOpen || !isMeant(link)) continue
      ping(link, now)
      link.doubt = { until: now + ms, sequence: link.sequence, needsAnswer }
    }
  }

  function takeSign(link: State): void {
    link.heardAt = clock.now()
    if (link.doubt?.needsAnswer === false) link.doubt = undefined
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
    send(link.id, encodePing(ownId, link.peerId, link.sequence))
  }

  function takePong(link: State, packet: Packet): void {
    if (link.doubt && (sequenceOf(packet) ?? 0) >= link.doubt.sequence) link.doubt = undefined
    if (link.waitsSince === undefined || sequenceOf(packet) !== link.sequence) return
    link.answeredAt = clock.now()
    const measured = link.answeredAt - link.sentAt
    link.waitsSince = undefined
    const before = link.roundTrip
    link.roundTrip = before === undefined || link.pings <= 2 ? measured : before + (measured - before) / 4
    options.onChange()
  }

  function drop(id: number, problem: ConnectionProblem): void {
    if (!links.has(id)) return
    forget(id, problem)
    options.close(id)
  }

  function forget(id: number, problem: ConnectionProblem): void {
    const link = links.get(id)
    if (!link) return
    links.delete(id)
    // Whoever has ended has ended on the other transports, too, where nothing says so.
    for (const other of links.values()) {
      if (!isClosing && link.isOpen && other.isOpen && other.peerId === link.peerId) ping(other, clock.now())
    }
    if (!isClosing && link.isOpen) doubtSharedNodes()
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

function handshakeLimit({ origin }: State): number {
  return origin.isDialler && origin.transport === 'udp' ? UDP_HANDSHAKE_MS : HANDSHAKE_MS
}

function isSilent({ waitsSince, heardAt, doubt }: State, now: number): boolean {
  if (doubt && now >= doubt.until) return true
  if (now - heardAt >= SLEPT_MS) return true
  return waitsSince !== undefined && now - Math.max(waitsSince, heardAt) >= SILENT_MS
}

/** What the other side sends shows as well that the link stands. */
function spareDue({ sentAt, heardAt, origin }: State): number {
  const pause = origin.isDialler ? SPARE_PING_MS.dialler : SPARE_PING_MS.acceptor
  return Math.min(Math.max(sentAt, heardAt) + pause, sentAt + MEASURE_MS)
}

function cost({ roundTrip = 500, origin }: State): number {
  const isNear = roundTrip <= NEAR_MS
  const isPreferred = isNear ? origin.transport === 'tcp' : origin.transport === 'udp'
  return isNear ? (isPreferred ? 0 : NEAR_MS) : isPreferred ? roundTrip : roundTrip * 1.3 + 10
}
