import { createByteQueue } from '../kcp/byteQueue'
import { distance } from '../kcp/segments'

/** Sends data, or FIN without data. */
export type PutTcp = (sequence: number, data: Uint8Array, isFin: boolean) => void

export type TcpSender = {
  /** Sequence number of the next new byte. */
  readonly next: number
  /** Bytes not acknowledged, the unsent ones included. */
  readonly queued: number
  /** Whether FIN and all before it have arrived. */
  readonly isFinished: boolean
  /** How often the oldest segment has been sent in vain. */
  readonly tries: number
  write(bytes: Uint8Array): void
  finish(): void
  /** @param window in bytes @param isPure without data: only those count as repeated acknowledgements */
  acknowledge(sequence: number, window: number, isPure: boolean, now: number): void
  flush(now: number, put: PutTcp): void
  nextDeadline(): number
}

type Sent = {
  readonly sequence: number
  readonly data: Uint8Array
  readonly isFin: boolean
  at: number
  tries: number
}

const FIRST_TIME_OUT = 300
const MIN_TIME_OUT = 200
const MAX_TIME_OUT = 4000
const REPEATED_ACKS = 3

/**
 * The sending half of a connection: slow start, NewReno, probes of a closed window.
 * @see RFC 5681, RFC 6298, RFC 6582
 */
export function createTcpSender(first: number, window: number, segmentSize: number): TcpSender {
  const queue = createByteQueue()
  const flight: Sent[] = []
  let oldest = first
  let next = first
  let peerWindow = window
  let congestion = 10 * segmentSize
  let threshold = 1 << 20
  let smoothed: number | undefined
  let deviation = 0
  let timeOut = FIRST_TIME_OUT
  let repeated = 0
  /** While set, losses before this sequence number are being repaired. */
  let recoverUntil: number | undefined
  let mustResend = false
  let isFinishing = false
  let hasFin = false
  let probeAt = Number.POSITIVE_INFINITY

  const outstanding = () => distance(next, oldest)
  const measure = (ms: number) => {
    if (smoothed === undefined) {
      smoothed = ms
      deviation = ms / 2
    } else {
      deviation += (Math.abs(ms - smoothed) - deviation) / 4
      smoothed += (ms - smoothed) / 8
    }
  }
  const resetTimeOut = () => {
    const guess = smoothed === undefined ? FIRST_TIME_OUT : smoothed + Math.max(50, 4 * deviation)
    timeOut = Math.min(MAX_TIME_OUT, Math.max(MIN_TIME_OUT, guess))
  }
  const reduce = () => {
    threshold = Math.max(2 * segmentSize, outstanding() / 2)
    recoverUntil = next
    mustResend = true
  }

  /** Removes what was acknowledged, and measures the round trip of the newest segment unless it was repeated. */
  const removeAcknowledged = (sequence: number, now: number) => {
    let newest: Sent | undefined
    while (flight[0] && distance(sequence, endOf(flight[0])) >= 0) newest = flight.shift()
    if (newest?.tries === 1) measure(now - newest.at)
    resetTimeOut()
  }
  const onNewAck = (sequence: number, now: number) => {
    const bytes = distance(sequence, oldest)
    oldest = sequence
    repeated = 0
    removeAcknowledged(sequence, now)
    if (recoverUntil !== undefined && distance(sequence, recoverUntil) < 0) {
      mustResend = true
      return
    }
    if (recoverUntil !== undefined) congestion = threshold
    recoverUntil = undefined
    congestion += congestion < threshold ? bytes : (segmentSize * segmentSize) / congestion
  }
  const onTimeOut = (now: number) => {
    const [head] = flight
    if (!head || now < head.at + timeOut) return
    reduce()
    congestion = segmentSize
    timeOut = Math.min(MAX_TIME_OUT, timeOut * 2)
  }
  const send = (data: Uint8Array, isFin: boolean, now: number, put: PutTcp) => {
    const segment = { sequence: next, data, isFin, at: now, tries: 1 }
    flight.push(segment)
    put(next, data, isFin)
    next = endOf(segment)
  }

  const resendOldest = (now: number, put: PutTcp) => {
    const [head] = flight
    if (mustResend && head) {
      head.tries += 1
      head.at = now
      put(head.sequence, head.data, head.isFin)
    }
    mustResend = false
  }
  const sendQueued = (now: number, put: PutTcp) => {
    while (queue.size > 0) {
      const room = Math.min(congestion, peerWindow) - outstanding()
      const size = Math.min(segmentSize, queue.size)
      // A partial segment is sent only when nothing is outstanding: otherwise small segments would never end.
      if (room < size && (room <= 0 || outstanding() > 0)) break
      send(queue.take(Math.min(size, room)), false, now, put)
    }
  }
  const probeClosedWindow = (now: number, put: PutTcp) => {
    if (queue.size === 0 || peerWindow > 0 || flight.length > 0) return
    if (probeAt === Number.POSITIVE_INFINITY) probeAt = now + timeOut
    if (now >= probeAt) send(queue.take(1), false, now, put)
  }
  const onRepeatedAck = () => {
    repeated += 1
    if (repeated !== REPEATED_ACKS || recoverUntil !== undefined) return
    reduce()
    congestion = threshold
  }

  return {
    get next() {
      return next
    },
    get queued() {
      return queue.size + outstanding()
    },
    get isFinished() {
      return hasFin && outstanding() === 0
    },
    get tries() {
      return flight[0]?.tries ?? 0
    },
    write: queue.add,
    finish() {
      isFinishing = true
    },
    acknowledge(sequence, windowNow, isPure, now) {
      const ahead = distance(sequence, oldest)
      if (distance(sequence, next) > 0 || ahead < 0) return
      if (ahead > 0) onNewAck(sequence, now)
      else if (isPure && windowNow === peerWindow && flight.length > 0) onRepeatedAck()
      peerWindow = windowNow
      if (peerWindow > 0) probeAt = Number.POSITIVE_INFINITY
    },
    flush(now, put) {
      onTimeOut(now)
      resendOldest(now, put)
      sendQueued(now, put)
      probeClosedWindow(now, put)
      if (isFinishing && !hasFin && queue.size === 0) {
        hasFin = true
        send(NOTHING, true, now, put)
      }
    },
    nextDeadline() {
      const [head] = flight
      return Math.min(probeAt, head ? head.at + timeOut : Number.POSITIVE_INFINITY)
    },
  }
}

function endOf({ sequence, data, isFin }: Sent): number {
  return (sequence + data.length + (isFin ? 1 : 0)) >>> 0
}

const NOTHING: Uint8Array = new Uint8Array(0)
