import type { ByteStream } from '#core/byteStream'
import type { Clock } from '#core/clock'
import { abortReason, ServiceError } from '#core/errors'
import { RoomFailure } from '../failure'
import { decodeResponse, encodeRequest, type RequestFrame, type ResponseFrame } from './frames'
import { createFrameReader } from './reader'
import { FRAME_TIMEOUT_MS } from './watchdog'

export type ExchangeOptions = {
  readonly clock: Clock
  readonly signal: AbortSignal
  /**
   * Whether the host takes a request before it has answered the one before, as ours do. The protocol allows it, but hosts
   * of other makers have only ever met guests that wait; some stop at a request that comes in two pieces.
   */
  readonly takesSeveral?: boolean
}

/**
 * One request, one response: the guest's end of a stream. Requests made at the same time are sent in their order, each
 * when the one before is answered, or all at once where the host takes that; the answers come in the same order.
 * After a failure the stream is closed, since nobody knows which response would be next.
 * @throws RoomFailure `connection-lost`, also when nothing came for 64 s; `invalid-response`; the signal's reason
 */
export type Exchange = (request: RequestFrame) => Promise<ResponseFrame>

export function createExchange(stream: ByteStream, options: ExchangeOptions): Exchange {
  const { clock, signal, takesSeveral = false } = options
  const reader = createFrameReader(stream, decodeResponse)
  let last: Promise<unknown> = Promise.resolve()

  const onAbort = () => stream.destroy()
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, { once: true })
  void stream.closed.then(() => signal.removeEventListener('abort', onAbort))

  const answerTo = async (sending: () => Promise<void>): Promise<ResponseFrame> => {
    let isLate = false
    const stopTimer = clock.after(FRAME_TIMEOUT_MS, () => {
      isLate = true
      stream.destroy()
    })
    try {
      await sending()
      const response = await reader.read()
      if (!response) throw new Error('The host closed the stream.')
      return response
    } catch (cause) {
      stream.destroy()
      if (signal.aborted) throw abortReason(signal)
      throw failureOf(cause, isLate)
    } finally {
      stopTimer()
    }
  }

  return (request) => {
    const send = async () => stream.write(encodeRequest(request))
    const sent = takesSeveral ? send() : undefined
    // Who waits for the answer hears of it.
    sent?.catch(() => {})
    const response = last.then(() => answerTo(() => sent ?? send()))
    last = response.catch(() => {})
    return response
  }
}

function failureOf(cause: unknown, isLate: boolean): RoomFailure {
  if (cause instanceof ServiceError) {
    return new RoomFailure('invalid-response', 'The host’s answer is longer than any answer can be.', {
      cause,
    })
  }
  const detail = isLate
    ? `The host did not answer for ${FRAME_TIMEOUT_MS / 1000} s.`
    : 'The connection to the host broke.'
  return new RoomFailure('connection-lost', detail, { cause })
}
