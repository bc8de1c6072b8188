import { type Clock, onAbort, sleep, withDeadline } from '@lantern-room/base/async'
import type { ByteStream } from '@lantern-room/base/bytes'
import { equalBytes } from '@lantern-room/base/bytes'
import type { Network, RemotePeer } from '@lantern-room/easytier'
import type { RoomCode } from '@lantern-room/protocol'
import {
  createScaffoldingClient,
  ProtocolFailure,
  type ProtocolFailureCode,
} from '@lantern-room/protocol/client'
import { asRoomFailure, RoomFailure } from '../../failure'
import type { SecureStreams } from '../../ports'
import { roomPortOf } from '../members/members'
import { createHostDialer } from './hostDialer'
import { askAgainMs, type HostIdentity } from './policy'

/** The identity that a guest accepts as its host, from the search until it leaves. @see docs/decisions.md, D145 */
export class KnownHost {
  #key: Uint8Array | undefined
  readonly #onKey: ((key: Uint8Array) => void) | undefined
  #hasAnswered = false

  /**
   * @param expected the key from an invitation or an earlier join
   * @param onKey called with the key that the host has proved, once
   */
  constructor(expected?: Uint8Array, onKey?: (key: Uint8Array) => void) {
    this.#key = expected
    this.#onKey = onKey
  }

  /** Ed25519, 32 bytes: from an invitation, an earlier join, or of the first host that answered. */
  get key(): Uint8Array | undefined {
    return this.#key
  }

  get identity(): HostIdentity {
    if (this.#key !== undefined) return 'keyed'
    return this.#hasAnswered ? 'keyless' : 'unknown'
  }

  /** Whether an answer with this key is the host's. */
  accepts(shown: Uint8Array | undefined): boolean {
    const key = this.#key
    return key === undefined || (shown !== undefined && equalBytes(key, shown))
  }

  /** The host has answered; the first answer decides. */
  note(shown: Uint8Array | undefined): void {
    if (this.#hasAnswered) return
    this.#hasAnswered = true
    this.#key ??= shown
    if (this.#key) this.#onKey?.(this.#key)
  }
}

/** The answer of a member that claims to be the host, asked for its identity. */
export type Answer =
  /** With the key that it has proved: hosts of other programs have none. */
  | { readonly kind: 'host'; readonly key: Uint8Array | undefined }
  /** It is no host of such a room, or its proof is wrong. */
  | { readonly kind: 'other' }

/** How long one attempt may take to open the stream, and then for the proof. */
const DIAL_MS = 3000
const PROOF_MS = 5000

const WRONG_ANSWERS: readonly ProtocolFailureCode[] = ['host-changed', 'invalid-response']

export type HostProof = ReturnType<typeof createHostProof>

/** Lets members prove that they are the host: by `lantern:identity`, in a private room by the handshake of TLS. */
export function createHostProof(options: {
  readonly network: Pick<Network, 'dial' | 'peer' | 'sealsOtherwise'>
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
      if (error instanceof ProtocolFailure && WRONG_ANSWERS.includes(error.code)) return { kind: 'other' }
      throw asRoomFailure(error)
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

type HostQuestionsOptions = {
  readonly proof: Pick<HostProof, 'ask'>
  readonly known: KnownHost
  /** Called when a member has proved that it is the host. */
  readonly onProved: () => void
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** Asks all members that claim to be the host for a proof, at the same time, and keeps their answers. */
export class HostQuestions {
  readonly #options: HostQuestionsOptions
  readonly #asked = new Map<number, AbortController>()
  /** In the order of their answers. */
  readonly #proved = new Set<number>()
  readonly #others = new Set<number>()

  constructor(options: HostQuestionsOptions) {
    this.#options = options
  }

  /** Asks these members until each has proved that it is the host. Stops asking all others, and forgets their answers. */
  ask(candidates: readonly RemotePeer[]): void {
    const peerIds = new Set(candidates.map(idOf))
    for (const [peerId, asking] of this.#asked) {
      if (peerIds.has(peerId)) continue
      for (const all of [this.#asked, this.#proved, this.#others]) all.delete(peerId)
      asking.abort(new Error('the question is not needed any more'))
    }
    for (const peerId of peerIds) {
      if (this.#asked.has(peerId)) continue
      const asking = new AbortController()
      this.#asked.set(peerId, asking)
      const signal = AbortSignal.any([this.#options.signal, asking.signal])
      this.#askUntilProved(peerId, signal).catch(() => undefined)
    }
  }

  /** Those of the candidates that have answered as the host, in the order of their answers. */
  proved(candidates: readonly RemotePeer[]): readonly RemotePeer[] {
    return [...this.#proved].flatMap((peerId) => candidates.find((one) => idOf(one) === peerId) ?? [])
  }

  /** Those that have answered and are not the host. */
  others(candidates: readonly RemotePeer[]): readonly RemotePeer[] {
    return candidates.filter((one) => this.#others.has(idOf(one)))
  }

  /** @throws the signal's reason */
  async #askUntilProved(peerId: number, signal: AbortSignal): Promise<void> {
    const { proof, known, onProved, clock } = this.#options
    const startedAt = clock.now()
    for (;;) {
      const answer = await proof.ask(peerId, signal)
      signal.throwIfAborted()
      if (answer?.kind === 'host' && known.accepts(answer.key)) break
      if (answer) this.#others.add(peerId)
      await sleep(clock, askAgainMs(answer !== undefined, clock.now() - startedAt), signal)
    }
    this.#others.delete(peerId)
    this.#proved.add(peerId)
    onProved()
  }
}

function idOf({ record }: RemotePeer): number {
  return record.peerId
}
