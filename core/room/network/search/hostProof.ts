import type { ByteStream } from '@lantern-room/base'
import type { Clock } from '@lantern-room/base/async'
import { onAbort, withDeadline } from '@lantern-room/base/async'
import type { Network } from '@lantern-room/easytier'
import { type FailureCode, RoomFailure } from '../../failure'
import type { SecureStreams } from '../../ports'
import type { RoomCode } from '../../roomCode'
import { createScaffoldingClient } from '../../scaffolding/client'
import { roomPortOf } from '../members/members'
import { createHostDialer } from './hostDialer'

/** The answer of a member that claims to be the host, asked for its identity. */
export type Answer =
  /** With the key that it has proved: hosts of other programs have none. */
  | { readonly kind: 'host'; readonly key: Uint8Array | undefined }
  /** It is no host of such a room, or its proof is wrong. */
  | { readonly kind: 'other' }

/** How long one attempt may take to open the stream, and then for the proof. */
const DIAL_MS = 3000
const PROOF_MS = 5000

const WRONG_ANSWERS: readonly FailureCode[] = ['host-changed', 'invalid-response']

export type HostProof = ReturnType<typeof createHostProof>

/** Lets members prove that they are the host: by `lantern:identity`, in a private room by the handshake of TLS. */
export function createHostProof(options: {
  readonly network: Pick<Network, 'dial' | 'peer'>
  readonly room: RoomCode
  readonly secureStreams: SecureStreams
  readonly clock: Clock
  /** Aborts with the network, and closes the streams. */
  readonly signal: AbortSignal
}) {
  const { network, room, secureStreams, clock, signal } = options
  const proveIn = room.privacy === 'private' ? encrypt : identify
  return { ask, prove }

  /** Asks in a stream of its own. @returns undefined when it does not answer; never rejects */
  async function ask(peerId: number, asking: AbortSignal): Promise<Answer | undefined> {
    const host = () => network.peer(peerId)
    const dial = createHostDialer({ network, host, isSeen: () => true, clock, signal })
    try {
      const port = roomPortOf(host()?.record.hostname ?? '') ?? 0
      const stream = await dial(port, asking, DIAL_MS)
      return await prove(stream, asking).finally(stream.destroy)
    } catch {
      return undefined
    }
  }

  /**
   * Asks in this new stream, which is closed when there is no good answer, and in a private room in any case.
   * @throws RoomFailure `connection-lost`, or another error, when there is none in time
   */
  function prove(stream: ByteStream, asking: AbortSignal): Promise<Answer> {
    const late = () => new RoomFailure('connection-lost', 'The host does not answer.')
    return withDeadline(clock, PROOF_MS, asking, late, (limit) => proveIn(stream, limit))
  }

  async function identify(stream: ByteStream, limit: AbortSignal): Promise<Answer> {
    const unsubscribe = onAbort(limit, stream.destroy)
    try {
      const key = await createScaffoldingClient(stream, { clock, signal }).identify(room)
      return { kind: 'host', key }
    } catch (error) {
      stream.destroy()
      if (error instanceof RoomFailure && WRONG_ANSWERS.includes(error.code)) return { kind: 'other' }
      throw error
    } finally {
      unsubscribe()
    }
  }

  async function encrypt(raw: ByteStream, limit: AbortSignal): Promise<Answer> {
    const handshake = await secureStreams.connect(raw, limit)
    if (handshake.kind !== 'secure') {
      if (handshake.kind === 'closed') throw handshake.cause
      return { kind: 'other' }
    }
    const { stream, peerKey } = handshake.secure
    stream.destroy()
    return peerKey ? { kind: 'host', key: peerKey } : { kind: 'other' }
  }
}
