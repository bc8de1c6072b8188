import { viewOf } from '#core/bytes'
import type { Clock } from '#core/clock'
import type { Log } from '#core/log'
import { DIGEST_SIZE, isZeroDigest } from '../crypto/networkIdentity'
import { encodeHello } from '../peer/handshake'
import type { Connection } from '../transport/transports'
import { parseIpv6 } from '../wire/addresses'
import { handshakeRequest } from '../wire/messages'
import { decodePacket, encodePacket, packetTypes } from '../wire/packet'
import { createByteRate } from './byteRate'
import { createRelayNetwork, type RelayNetwork } from './relayNetwork'

/** A shared node for rooms: members who cannot reach each other meet here, and talk through it. */
export type Relay = {
  /** A connection that somebody has opened to one of our listeners. */
  take(link: Connection): void
  counters(): RelayCounters
  /** Closes every link and ends every timer. */
  close(): void
}

export type RelayCounters = {
  readonly rooms: number
  readonly members: number
  readonly links: number
  readonly relayedBytes: number
  /** Packets that were over the rate of their room. */
  readonly droppedPackets: number
  /** Links that were over a limit, or did not say who they are. */
  readonly refusedLinks: number
}

export type RelayLimits = {
  readonly rooms: number
  readonly membersPerRoom: number
  /** IPv6: per network of 64 bits. */
  readonly linksPerAddress: number
  /** Bytes a second that one room may relay; bursts of one second. */
  readonly bytesPerSecond: number
}

export type RelayOptions = {
  readonly hostname: string
  readonly version: string
  readonly limits: RelayLimits
  readonly clock: Clock
  readonly randomBytes: (size: number) => Uint8Array
  readonly log: Log
}

/** A link that has not said which room it is for. */
const HANDSHAKE_MS = 5000
const MAX_STRANGERS = 256
const MAX_NAME_LENGTH = 256
/** What this node calls its own network: whoever reads another name than its own knows that it has met a shared node. */
const OWN_NETWORK = 'lantern-room-relay'

export function createRelay(options: RelayOptions): Relay {
  const { clock, limits, log } = options
  const rooms = new Map<string, RelayNetwork>()
  const links = new Map<number, Connection>()
  const perPlace = new Map<string, number>()
  const strangers = new Set<number>()
  const counters = { relayedBytes: 0, droppedPackets: 0, refusedLinks: 0 }
  let last = 0
  let isClosed = false

  return {
    take(link) {
      const place = placeOf(link.remote.address)
      const open = perPlace.get(place) ?? 0
      if (isClosed || open >= limits.linksPerAddress || strangers.size >= MAX_STRANGERS) return refuse(link)
      perPlace.set(place, open + 1)
      last += 1
      const id = last
      links.set(id, link)
      strangers.add(id)
      let room: RelayNetwork | undefined
      const cancel = clock.after(HANDSHAKE_MS, () => strangers.has(id) && refuse(link))
      void link.closed.then(() => {
        cancel()
        strangers.delete(id)
        links.delete(id)
        const left = (perPlace.get(place) ?? 1) - 1
        if (left > 0) perPlace.set(place, left)
        else perPlace.delete(place)
        room?.removeLink(id)
      })
      link.onPacket((packet) => {
        if (!links.has(id)) return
        if (!room) {
          if (!strangers.delete(id)) return
          room = roomOf(packet, link)
          if (!room) return refuse(link)
          room.addLink(id, { transport: link.transport, isDialler: false })
        }
        room.receive(id, packet)
      })
    },

    counters: () => ({
      rooms: rooms.size,
      members: [...rooms.values()].reduce((sum, { members }) => sum + members, 0),
      links: links.size,
      ...counters,
    }),

    close() {
      isClosed = true
      for (const network of [...rooms.values()]) network.close()
      rooms.clear()
      for (const link of [...links.values()]) link.close()
    },
  }

  function refuse(link: Connection): void {
    counters.refusedLinks += 1
    link.close()
  }

  /** The first packet has to be a handshake: it names the room, and who is the first brings the digest that holds. */
  function roomOf(bytes: Uint8Array, link: Connection): RelayNetwork | undefined {
    const packet = decodePacket(bytes)
    const hello = packet?.type === packetTypes.handshake ? handshakeRequest.decode(packet.payload) : undefined
    if (!hello || hello.networkSecretDigest.length !== DIGEST_SIZE) return undefined
    const { networkName: name, networkSecretDigest: digest } = hello
    if (name.length === 0 || name.length > MAX_NAME_LENGTH || name === OWN_NETWORK) return undefined
    const room = rooms.get(name)
    if (room) return room
    if (isZeroDigest(digest)) {
      // Somebody without a secret, answered first like everybody who is refused.
      const from = viewOf(Uint8Array.from(options.randomBytes(4))).getUint32(0) || 1
      const answer = encodeHello(from, OWN_NETWORK, new Uint8Array(DIGEST_SIZE))
      link.send(encodePacket({ from, to: 0, type: packetTypes.handshake }, answer))
      return undefined
    }
    return openRoom(name, digest.slice())
  }

  function openRoom(name: string, digest: Uint8Array): RelayNetwork | undefined {
    if (rooms.size >= limits.rooms) {
      log.warn('the relay is full', { rooms: rooms.size })
      return undefined
    }
    const rate = createByteRate(limits.bytesPerSecond, clock)
    const network = createRelayNetwork({
      name,
      digest,
      ownNetwork: OWN_NETWORK,
      clock,
      maxMembers: limits.membersPerRoom,
      hostname: options.hostname,
      version: options.version,
      randomBytes: options.randomBytes,
      send: (id, packet) => links.get(id)?.send(packet),
      close: (id) => links.get(id)?.close(),
      mayRelay(bytes) {
        if (!rate.take(bytes)) {
          counters.droppedPackets += 1
          return false
        }
        counters.relayedBytes += bytes
        return true
      },
      onRefused() {
        counters.refusedLinks += 1
      },
      onEmpty() {
        rooms.delete(name)
        network.close()
      },
    })
    rooms.set(name, network)
    return network
  }
}

/** Who counts as one: an address, and in IPv6 the network that one customer has. */
function placeOf(address: string): string {
  const parts = parseIpv6(address)
  return parts === undefined ? address : `${parts[0]}:${parts[1]}`
}
