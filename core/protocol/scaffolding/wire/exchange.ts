import { cleanText, ServiceError } from '@lantern-room/base'
import type { Clock } from '@lantern-room/base/async'
import { onAbort } from '@lantern-room/base/async'
import type { ByteStream } from '@lantern-room/base/bytes'
import { ProtocolFailure, type ProtocolFailureCode } from '../../protocolFailure'
import { MEMBER_FULL, REFUSED, REMOVED, ROOM_FULL, STATUS } from './commands'
import {
  createFrameReader,
  decodeResponse,
  encodeRequest,
  type RequestFrame,
  type ResponseFrame,
} from './frames'

/** The contract's time limit of the room protocol: on connect, read and write, on both sides. */
export const FRAME_TIMEOUT_MS = 64_000

export type ExchangeOptions = {
  readonly clock: Clock
  readonly signal: AbortSignal
  /**
   * Whether requests may be sent before earlier ones are answered, as our hosts allow. The protocol allows it too, but
   * hosts of other makers expect a guest that waits; some fail when a request arrives in two pieces.
   * @default false
   */
  readonly supportsPipelining?: boolean
}

/**
 * @returns a function that sends a request and resolves with its response. Concurrent requests are sent in order, each after the response to the
 * one before, or at once with pipelining; the responses come in the same order. After a failure the stream is closed,
 * because responses can no longer be matched to requests.
 * @throws ProtocolFailure `connection-lost`, also after 64 s without a response; `invalid-response`; the signal's reason
 */
export function createExchange(
  stream: ByteStream,
  { clock, signal, supportsPipelining = false }: ExchangeOptions,
): (request: RequestFrame) => Promise<ResponseFrame> {
  const read = createFrameReader(stream, decodeResponse)
  let last: Promise<unknown> = Promise.resolve()

  const unsubscribe = onAbort(signal, () => stream.destroy())
  void stream.closed.then(unsubscribe)

  const receive = async (sending: () => Promise<void>): Promise<ResponseFrame> => {
    let isLate = false
    const stopTimer = clock.after(FRAME_TIMEOUT_MS, () => {
      isLate = true
      stream.destroy()
    })
    try {
      await sending()
      const response = await read()
      if (!response) throw new Error('The host closed the stream.')
      return response
    } catch (cause) {
      stream.destroy()
      signal.throwIfAborted()
      throw failureOf(cause, isLate)
    } finally {
      stopTimer()
    }
  }

  return (request) => {
    const send = async () => stream.write(encodeRequest(request))
    const sent = supportsPipelining ? send() : undefined
    // The call that awaits the response reports the failure.
    sent?.catch(() => {})
    const response = last.then(() => receive(() => sent ?? send()))
    last = response.catch(() => {})
    return response
  }
}

function failureOf(cause: unknown, isLate: boolean): ProtocolFailure {
  if (cause instanceof ServiceError) {
    return new ProtocolFailure('invalid-response', 'The host’s answer is too long.', { cause })
  }
  const detail = isLate
    ? `The host did not answer for ${FRAME_TIMEOUT_MS / 1000} s.`
    : 'The connection to the host broke.'
  return new ProtocolFailure('connection-lost', detail, { cause })
}

/** The protocol has no statuses for these. A host can answer any text, also the name of what every object has. */
const CODE_OF_REASON: ReadonlyMap<string, ProtocolFailureCode> = new Map([
  [ROOM_FULL, 'room-full'],
  [MEMBER_FULL, 'room-full'],
  [REFUSED, 'refused'],
  [REMOVED, 'removed'],
])

/** Characters of the text of a refusal that are shown. */
const MAX_REASON = 200

export function readResponse<T>(kind: string, response: ResponseFrame, decode: (data: Uint8Array) => T): T {
  expectOk(kind, response)
  try {
    return decode(response.data)
  } catch (cause) {
    if (!(cause instanceof ServiceError)) throw cause
    throw new ProtocolFailure('invalid-response', `The host’s answer to ${kind} is wrong: ${cause.detail}`, {
      cause,
    })
  }
}

export function expectOk(kind: string, response: ResponseFrame): void {
  const { status } = response
  if (status === STATUS.ok) return
  const reason = reasonOf(response)
  const code = status === STATUS.failed ? CODE_OF_REASON.get(reason) : undefined
  if (code) throw new ProtocolFailure(code, reason)
  throw new ProtocolFailure(
    'invalid-response',
    `The host refuses ${kind} with status ${status}${reason && `: ${reason}`}`,
  )
}

function reasonOf({ data }: ResponseFrame): string {
  return cleanText(new TextDecoder().decode(data.subarray(0, MAX_REASON)), MAX_REASON)
}
