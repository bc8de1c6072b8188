import { sleep } from '#core/async/alarm'
import { within } from '#core/async/deadline'
import { createEmitter, type Emitter } from '#core/async/emitter'
import type { ByteStream, DatagramFlow } from '#core/byteStream'
import type { Clock } from '#core/clock'
import { natTypeOf } from '#core/easytier/nat/natType'
import type { Network } from '#core/easytier/network'
import type { RemotePeer } from '#core/easytier/peer/peer'
import type { Log } from '#core/log'
import { RoomFailure } from '../failure'
import type { GuestConnection, NetworkEvent, NetworkStatus } from '../ports'
import { tellDown } from './down'
import { probeLiveness } from './liveness'
import { findHost, isMember, isOurProgram, pathOf, roomPortOf, toMember } from './members'
import { natDifficulty } from './natDifficulty'

/** After how much silence the host is asked for a sign of life, how often, and when it is lost. */
const QUIET_MS = 4000
const SIGN_MS = 1000
const FIRST_SIGN_MS = 250
const LOST_MS = 6000
/** Nobody sees the host any more: that is not waited for as long as for silence. */
const GONE_MS = 1500
const LOOK_MS = 500
const DIAL_MS = 10_000
/** A host that may not answer through a relay answers once it is reached directly: openings are begun anew. */
const DIAL_AGAIN_MS = 1500

/** A guest's session with the one host that it found. */
export function createGuestConnection(options: {
  readonly peer: Network
  readonly privacy: 'open' | 'private'
  readonly changes: Emitter<void>
  /** Resolves when nothing of it is left. */
  readonly closed: Promise<void>
  readonly down: Promise<RoomFailure>
  readonly clock: Clock
  readonly log: Log
  /** Aborts when the session ends, for whatever reason. */
  readonly signal: AbortSignal
}): GuestConnection {
  const { peer, privacy, changes, clock, log, signal } = options
  const events = createEmitter<NetworkEvent>()
  let host = currentHosts()[0]
  let hostId = host?.record.peerId ?? 0
  let signAt = clock.now()
  let goneSince: number | undefined
  let isLost = false
  let latencyMs: number | undefined

  changes.subscribe(() => {
    look()
    events.emit({ kind: 'members' })
    events.emit({ kind: 'status' })
  })
  tellDown(options.down, events)
  void watch().catch(() => undefined)

  return {
    members: () =>
      peer
        .peers()
        .filter(isMember)
        .map((member) => toMember(member, latencyMs)),
    status,
    onEvent: events.subscribe,
    closed: options.closed,
    get host() {
      if (!host) throw unreachable()
      const { hostname, programVersion } = host.record
      return {
        member: toMember(host, latencyMs),
        roomPort: roomPortOf(hostname) ?? 0,
        isOurs: isOurProgram(programVersion),
      }
    },
    dial,
    datagrams,
  }

  async function dial(port: number, dialSignal?: AbortSignal): Promise<ByteStream> {
    const until = clock.now() + DIAL_MS
    const limit = dialSignal ? AbortSignal.any([signal, dialSignal]) : signal
    for (;;) {
      try {
        return await dialOnce(port, Math.min(DIAL_AGAIN_MS, until - clock.now()), limit)
      } catch (cause) {
        limit.throwIfAborted()
        if (clock.now() + FIRST_SIGN_MS >= until || isRefusal(cause)) throw unreachable(cause)
      }
      await sleep(clock, 50, limit)
    }
  }

  async function dialOnce(port: number, ms: number, limit: AbortSignal): Promise<ByteStream> {
    const address = host?.record.address
    if (address === undefined) throw unreachable()
    const controller = new AbortController()
    const opening = peer.dial(hostId, { address, port }, AbortSignal.any([limit, controller.signal]))
    try {
      return await within(clock, ms, opening, () => new Error('no answer'))
    } catch (error) {
      controller.abort(error)
      opening.then((stream) => stream.destroy()).catch(() => undefined)
      throw error
    }
  }

  function datagrams(port: number): DatagramFlow {
    return peer.datagrams(hostId, { address: host?.record.address ?? '0.0.0.0', port })
  }

  function status(): NetworkStatus {
    const own = peer.natType()
    return {
      privacy,
      nodes: peer.nodes(),
      path: host && pathOf(host, latencyMs),
      difficulty: host && natDifficulty(own, natTypeOf(host.record.udpNatType)),
    }
  }

  function currentHosts(): readonly RemotePeer[] {
    return findHost(peer.peers())
  }

  /** Takes up a new run of the host when the old one cannot be reached any more. */
  function look(): void {
    const hosts = currentHosts()
    const same = hosts.find(({ record }) => record.peerId === hostId)
    const next = hosts.find(({ record }) => record.peerId !== hostId)
    if (same) goneSince = undefined
    else goneSince ??= clock.now()
    // A host that was killed may be seen for a while after it has returned as another peer.
    if (!next || (same && !isLost)) {
      host = same ?? host
      return
    }
    log.info('the host has started anew')
    peer.forgetPeer(hostId)
    host = next
    hostId = next.record.peerId
    goneSince = undefined
    signAt = clock.now()
    isLost = false
    events.emit({ kind: 'back', isRestarted: true })
  }

  async function watch(): Promise<never> {
    let askedAt = Number.NEGATIVE_INFINITY
    for (;;) {
      const heard = Math.max(signAt, peer.heardAt(hostId) ?? 0)
      const now = clock.now()
      // The first answer shows that the host knows us, too.
      const isDue = latencyMs === undefined || (now - heard >= QUIET_MS && now - askedAt >= SIGN_MS)
      if (isDue) {
        askedAt = now
        ask(hostId, now)
      }
      judge(now - heard >= LOST_MS || (goneSince !== undefined && now - goneSince >= GONE_MS))
      await sleep(clock, latencyMs === undefined ? FIRST_SIGN_MS : LOOK_MS, signal)
      look()
    }
  }

  function ask(peerId: number, at: number): void {
    probeLiveness(peer, peerId, LOST_MS, () => {
      if (peerId !== hostId) return
      const now = clock.now()
      signAt = Math.max(signAt, now)
      latencyMs = now - at
      judge(false)
    })
  }

  function judge(isLostNow: boolean): void {
    if (isLostNow === isLost) return
    isLost = isLostNow
    if (isLost) log.warn('the host does not answer')
    events.emit(isLost ? { kind: 'lost' } : { kind: 'back', isRestarted: false })
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'reason' in error && error.reason === 'refused'
}

function unreachable(cause?: unknown): RoomFailure {
  return new RoomFailure('host-unreachable', 'The host does not take the connection.', { cause })
}
