import type { TransportKind } from '../../transport/transports'
import { LEAST_PATH_PAYLOAD, MAX_PATH_PAYLOAD } from '../../wire/packet'
import { SEGMENT_HEADER_SIZE, STREAM_HEADER_SIZE } from './segments'

/** Payloads that are tried, the largest first: for paths of 1,280 bytes, of 1,124 by IPv4, and of 576. The last one is assumed to pass. */
const PAYLOADS = [MAX_PATH_PAYLOAD, 1040, LEAST_PATH_PAYLOAD] as const
/** Lost probes before the next smaller payload is tried. */
const TRIES = 3
/** Between two probes, in milliseconds. */
const PROBE_EVERY = 500
/** While nothing at all comes from the peer, which says nothing of the size. */
const SILENT_PROBE_EVERY = 1000
/** A path that carried no larger packets may have been replaced by another one. */
const AGAIN_AFTER = 20_000
/** After a ping without a body, whose answer looks like that of a probe. */
const PING_PAUSE = 2000

/** The data bytes of a segment that has a packet of the smallest payload for itself. */
export const LEAST_SEGMENT_DATA = dataOf(LEAST_PATH_PAYLOAD)

/**
 * The size of the packets that reach a peer. Routers drop larger ones without a word, so a larger payload is used only once the peer
 * has answered a ping with a body of that size. Times are milliseconds that never jump back.
 * @see docs/network/streams.md, "The size of packets"
 */
export class PacketSize {
  /** By what the last packet has left. */
  carrier: TransportKind | undefined
  #payload: number
  /** The place of the payload that is tried. */
  #candidate = 0
  #tries = 0
  /** Of the probe whose answer is waited for. */
  #probed: number | undefined
  #probedAt = Number.NEGATIVE_INFINITY
  #isHeard = false
  #nextAt = 0

  /** @param payload of packets that are known to arrive */
  constructor(payload: number = LEAST_PATH_PAYLOAD) {
    this.#payload = payload
  }

  /** The largest payload that is known to arrive, in bytes. */
  get payload(): number {
    return this.#payload
  }

  /** Data bytes of a segment that has such a packet for itself. */
  get segmentData(): number {
    return dataOf(this.#payload)
  }

  /** When the next probe is due; Infinity for never. */
  get nextProbeAt(): number {
    return this.#payload === MAX_PATH_PAYLOAD ? Number.POSITIVE_INFINITY : this.#nextAt
  }

  /** @returns the payload of the ping that is to be sent now, if one is due */
  probe(now: number): number | undefined {
    if (now < this.nextProbeAt) return undefined
    this.#judge()
    const payload = PAYLOADS[this.#candidate]
    if (payload === undefined || payload <= this.#payload) {
      this.#startOver(now + AGAIN_AFTER)
      return undefined
    }
    const isSilent = this.#probed !== undefined && !this.#isHeard
    this.#nextAt = now + (isSilent ? SILENT_PROBE_EVERY : PROBE_EVERY)
    this.#probed = payload
    this.#probedAt = now
    this.#isHeard = false
    return payload
  }

  /** A ping was answered. */
  answered(): void {
    if (this.#probed !== undefined && this.#probed > this.#payload) this.#payload = this.#probed
    this.#probed = undefined
  }

  /** Any packet of the peer has come: what is lost now is lost for its size. */
  heard(): void {
    this.#isHeard = true
  }

  /** A ping without a body is sent: its answer must not be taken for that of a probe. */
  pinged(now: number): void {
    this.#probed = undefined
    this.#nextAt = Math.max(this.#nextAt, now + PING_PAUSE)
  }

  /** Large packets seem to be lost: none is sent until a probe is answered. */
  doubt(now: number): void {
    if (this.#payload === LEAST_PATH_PAYLOAD) return
    this.#payload = LEAST_PATH_PAYLOAD
    this.#startOver(Math.max(now, this.#probedAt + PROBE_EVERY))
  }

  /** A probe without an answer has failed if something else came meanwhile. */
  #judge(): void {
    if (this.#probed === undefined || !this.#isHeard) return
    this.#tries += 1
    if (this.#tries < TRIES) return
    this.#tries = 0
    this.#candidate += 1
  }

  #startOver(at: number): void {
    this.#candidate = 0
    this.#tries = 0
    this.#probed = undefined
    this.#nextAt = at
  }
}

function dataOf(payload: number): number {
  return payload - STREAM_HEADER_SIZE - SEGMENT_HEADER_SIZE
}
