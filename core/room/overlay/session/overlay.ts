import { abortReason } from '../../../errors'
import { RoomFailure } from '../../failure'
import type { Clock, HostOptions, JoinOptions, Overlay, RoomLog } from '../../ports'
import { createAlarm } from '../../service/wait'
import type { Carriers } from '../carriers'
import { privateIdentity } from '../crypto/privateIdentity'
import type { NetworkIdentity } from '../crypto/secret'
import { openRoomPeer, type RoomPeer, type RoomPeerOptions } from '../peer/roomPeer'
import { rpcMethods } from '../wire/messages'
import { createExposure } from './exposure'
import { createGuestSession } from './guestSession'
import { createHostSession } from './hostSession'
import { createListeners } from './listeners'
import { findHost, hostName, isMember } from './members'

export type OverlayOptions = {
  readonly carriers: Carriers
  /** `scheme://host:port` of shared nodes, or http(s) lists of them. */
  readonly nodes: readonly string[]
  /** `host:port` of STUN servers. */
  readonly stunServers: readonly string[]
  readonly isDirect: boolean
  readonly clock: Clock
  /** From a cryptographic source. */
  readonly randomBytes: (size: number) => Uint8Array
  readonly log: RoomLog
  readonly version: string
}

/** How long a host waits for a shared node before it opens for the LAN alone. */
const HOST_NODE_MS = 3000
/** How long a guest waits for a shared node, or a host on the LAN. */
const NODE_MS = 8000
/** Members on other nodes of a cluster appear up to 10 s late. */
const HOST_MS = 15_000
/** Where every shared node has the name with another secret, there is little to wait for: a host on the LAN. */
const REFUSED_MS = 4000
/** How long two hosts are listened to, before one of them is taken for a shadow or both for real. */
const DOUBLE_MS = 1500

/** Rooms on networks of EasyTier, spoken by ourselves. @see docs/network.md */
export function createOverlay(options: OverlayOptions): Overlay {
  const { clock, nodes, isDirect } = options

  return { version: `easytier-wire 2.6 (${options.version})`, host, join }

  async function host(order: HostOptions) {
    const { room, privacy, signal } = order
    const identity: NetworkIdentity =
      privacy === 'private'
        ? await privateIdentity(room.text)
        : { name: room.networkName, secret: room.networkSecret }
    if (signal.aborted) throw abortReason(signal)
    const alarm = createAlarm(clock)
    const changes = createListeners<void>()
    const { replace, ...exposure } = createExposure(order)
    const peer = await open({
      ...{ identity, role: 'host', hostname: hostName(order.roomPort), address: HOST_ADDRESS, signal },
      ...exposure,
      wantsDirect: isMember,
      onChange() {
        alarm.ring()
        changes.tell()
      },
    })
    const until = clock.now() + (isDirect ? HOST_NODE_MS : NODE_MS)
    while (nodes.length > 0 && !isOnNode(peer)) {
      if (clock.now() >= until) {
        if (isDirect) break
        throw noNode(peer)
      }
      await alarm.wait(Math.max(1, until - clock.now()), signal)
    }
    return createHostSession({ ...{ peer, privacy, changes }, setExposed: replace })
  }

  async function join(order: JoinOptions) {
    const { signal } = order
    order.onStep('starting')
    const alarm = createAlarm(clock)
    const opened = await openBoth(order, alarm.ring)
    const closeAll = () => Promise.all(opened.map(({ close }) => close()))
    try {
      order.onStep('connecting-nodes')
      const found = await search(opened, order, alarm)
      await Promise.all(opened.filter((one) => one !== found).map(({ close }) => close()))
      order.onStep('host-found')
      const { peer, privacy, changes } = found
      return createGuestSession({ ...{ peer, privacy, changes, clock, signal }, log: options.log })
    } catch (error) {
      await closeAll()
      throw error
    }
  }

  type Kind = {
    readonly peer: RoomPeer
    readonly privacy: 'open' | 'private'
    readonly changes: ReturnType<typeof createListeners<void>>
    readonly close: () => Promise<void>
  }

  /** A guest cannot tell a private room from an open one by its code: it looks in both networks. */
  async function openBoth({ room, signal }: JoinOptions, onChange: () => void): Promise<readonly Kind[]> {
    const open1 = openKind('open', { name: room.networkName, secret: room.networkSecret })
    const open2 = privateIdentity(room.text).then((identity) => openKind('private', identity))
    const both = await Promise.allSettled([open1, open2])
    const kinds = both.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    const failed = both.find((one) => one.status === 'rejected')
    if (failed || signal.aborted) {
      await Promise.all(kinds.map(({ close }) => close()))
      throw signal.aborted ? abortReason(signal) : networkFailed(failed?.reason)
    }
    return kinds

    async function openKind(privacy: 'open' | 'private', identity: NetworkIdentity): Promise<Kind> {
      const controller = new AbortController()
      const changes = createListeners<void>()
      const peer = await open({
        ...{ identity, role: 'guest', hostname: 'guest', address: guestAddress(options.randomBytes) },
        signal: AbortSignal.any([signal, controller.signal]),
        acceptsTcp: () => false,
        acceptsUdp: () => false,
        onStream: (stream) => stream.destroy(),
        onFlow: (flow) => flow.close(),
        wantsDirect: (member) => isMember(member) && findHost([member]).length > 0,
        onChange() {
          onChange()
          changes.tell()
        },
      })
      return {
        ...{ peer, privacy, changes },
        async close() {
          controller.abort(new Error('another network is the right one'))
          await peer.closed
        },
      }
    }
  }

  async function search(
    kinds: readonly Kind[],
    order: JoinOptions,
    alarm: ReturnType<typeof createAlarm>,
  ): Promise<Kind> {
    const startedAt = clock.now()
    let meetAt: number | undefined
    let doubleAt: number | undefined
    const living = new Set<number>()
    for (;;) {
      const hosts = kinds.flatMap((kind) => findHost(kind.peer.peers()).map((member) => ({ kind, member })))
      const [first] = hosts
      if (first && hosts.length === 1) return first.kind
      const now = clock.now()
      // A host that was killed is seen until the network has noticed: one of them may be a shadow.
      if (hosts.length > 1) {
        for (const { kind, member } of hosts) askForSign(kind.peer, member.record.peerId, living, alarm.ring)
        doubleAt ??= now
        if (now - doubleAt >= DOUBLE_MS) {
          const [alive, second] = hosts.filter(({ member }) => living.has(member.record.peerId))
          if (alive && !second) return alive.kind
          throw new RoomFailure('several-hosts', 'Two players host with this room code.')
        }
      }
      if (meetAt === undefined && kinds.some(({ peer }) => isOnNode(peer) || peer.peers().length > 0)) {
        meetAt = now
        order.onStep('looking-for-host')
      }
      order.onStatus?.(statusOf(kinds[0]))
      const isRefused = kinds.some(({ peer }) => peer.isRefusedEverywhere())
      const until = meetAt === undefined ? startedAt + NODE_MS : meetAt + (isRefused ? REFUSED_MS : HOST_MS)
      if (now >= until) throw notFound(kinds, meetAt !== undefined)
      await alarm.wait(Math.min(until - now + 1, 500), order.signal)
    }
  }

  function statusOf(kind: Kind | undefined) {
    const nodesNow = kind?.peer.nodes() ?? []
    return { privacy: 'open', nodes: nodesNow, path: undefined, difficulty: 'UNKNOWN' } as const
  }

  function notFound(kinds: readonly Kind[], hasMet: boolean): RoomFailure {
    const [openKind] = kinds
    if (kinds.some(({ peer }) => peer.wasRefused())) {
      return new RoomFailure('wrong-room', 'The room exists, but its second half is another one.')
    }
    if (!hasMet && nodes.length > 0 && openKind) return noNode(openKind.peer)
    return new RoomFailure('host-not-found', 'Nobody hosts this room.')
  }

  type ForPeer = Pick<RoomPeerOptions, 'identity' | 'role' | 'hostname' | 'address' | 'signal' | 'onChange'> &
    Pick<RoomPeerOptions, 'acceptsTcp' | 'acceptsUdp' | 'onStream' | 'onFlow' | 'wantsDirect'>

  async function open(forPeer: ForPeer): Promise<RoomPeer> {
    try {
      return await openRoomPeer({ ...options, ...forPeer, version: PROGRAM_VERSION })
    } catch (error) {
      if (forPeer.signal.aborted) throw abortReason(forPeer.signal)
      throw networkFailed(error)
    }
  }
}

/** Where the host is in most rooms. */
const HOST_ADDRESS = '10.144.144.1'
/** What other programs show for us. */
const PROGRAM_VERSION = '2.6.4-lantern'

function guestAddress(randomBytes: (size: number) => Uint8Array): string {
  return `10.144.144.${64 + ((randomBytes(1)[0] ?? 0) % 187)}`
}

/** Any answer is a sign of life, also a refusal. */
function askForSign(peer: RoomPeer, peerId: number, living: Set<number>, onSign: () => void): void {
  const request = rpcMethods.getGlobalPeerMap.request.encode({})
  peer.call(peerId, 'getGlobalPeerMap', request, DOUBLE_MS, ({ kind }) => {
    if (kind === 'silence') return
    living.add(peerId)
    onSign()
  })
}

function isOnNode(peer: RoomPeer): boolean {
  return peer.nodes().some(({ state }) => state === 'connected')
}

function noNode(peer: RoomPeer): RoomFailure {
  const problems = peer.nodes().map(({ url, problem }) => `${url}: ${problem ?? 'no answer'}`)
  return new RoomFailure('no-relay-reachable', `No shared node can be reached (${problems.join('; ')}).`)
}

function networkFailed(cause: unknown): RoomFailure {
  return new RoomFailure('network-failed', 'The network could not be started.', { cause })
}
