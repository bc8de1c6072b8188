import { type Clock, sleep, withDeadline } from '@lantern-room/base/async'
import type { ByteStream } from '@lantern-room/base/bytes'
import type { Network, RemotePeer } from '@lantern-room/easytier'
import { otherEncryption, RoomFailure } from '../../failure'
import type { GuestConnection } from '../../roomNetwork'

const DIAL_MS = 10_000
/** A host that refuses relayed streams answers once it is reached directly, so a dial is begun anew. */
const REDIAL_MS = 1500
const REDIAL_PAUSE_MS = 50
/** No attempt begins with less time than this. */
const SHORTEST_MS = 250

/** Opens streams to the host, in attempts of 1.5 s. It throws what `GuestConnection.dial` describes. */
export function createHostDialer(options: {
  readonly network: Pick<Network, 'dial' | 'peer' | 'sealsOtherwise'>
  /** The host as it is known at the time of the call. */
  readonly host: () => RemotePeer | undefined
  /** Whether a route leads to the host, so that patience may help. */
  readonly isSeen: () => boolean
  readonly clock: Clock
  readonly signal: AbortSignal
}): GuestConnection['dial'] {
  const { network, host, isSeen, clock, signal } = options
  return dial

  async function dial(port: number, dialSignal?: AbortSignal, patienceMs = DIAL_MS): Promise<ByteStream> {
    const startedAt = clock.now()
    const either = dialSignal ? AbortSignal.any([signal, dialSignal]) : signal
    for (;;) {
      const limitMs = isSeen() ? patienceMs : DIAL_MS
      const stream = await tryDial(port, startedAt + limitMs - clock.now(), either)
      if (stream) return stream
      await sleep(clock, REDIAL_PAUSE_MS, either)
    }
  }

  /** @returns undefined when there is time for another attempt. @throws RoomFailure `host-unreachable` */
  async function tryDial(
    port: number,
    leftMs: number,
    dialSignal: AbortSignal,
  ): Promise<ByteStream | undefined> {
    try {
      return await dialOnce(port, Math.max(0, Math.min(REDIAL_MS, leftMs)), dialSignal)
    } catch (cause) {
      dialSignal.throwIfAborted()
      if (isRefusal(cause)) throw unreachable(cause)
      if (network.sealsOtherwise(host()?.record.peerId ?? 0)) throw otherEncryption(cause)
      if (leftMs > REDIAL_MS + SHORTEST_MS) return undefined
      throw host()?.connection ? unreachable(cause) : noPath(cause)
    }
  }

  function noPath(cause: unknown): RoomFailure {
    const via = host()?.via
    const node = via?.isSharedNode ? network.peer(via.peerId)?.record : undefined
    // Such a node says so in its record, and is used only while no other one leads to the host.
    const hintCode = node?.features.avoidsRelay ? 'no-relayed-data' : 'no-direct-path'
    return new RoomFailure('host-unreachable', NO_PATH_TEXTS[hintCode], { cause, hintCode })
  }

  async function dialOnce(port: number, ms: number, dialSignal: AbortSignal): Promise<ByteStream> {
    const { peerId, address } = host()?.record ?? {}
    if (peerId === undefined || address === undefined) throw unreachable()
    const late = () => new Error('no answer')
    return withDeadline(clock, ms, dialSignal, late, (limit) =>
      network.dial(peerId, { address, port }, limit),
    )
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'reason' in error && error.reason === 'refused'
}

const NO_PATH_TEXTS = {
  'no-relayed-data': 'The shared node in use forwards no data, and no direct path to your friend was found.',
  'no-direct-path': 'No direct path to your friend was found, and their launcher takes no relayed one.',
} as const

export function unreachable(cause?: unknown): RoomFailure {
  return new RoomFailure('host-unreachable', 'The host does not take the connection.', { cause })
}
