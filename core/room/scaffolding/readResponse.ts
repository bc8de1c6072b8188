import { ServiceError } from '#core/errors'
import { cleanText } from '../cleanText'
import { type FailureCode, RoomFailure } from '../failure'
import { MEMBER_FULL, REFUSED, REMOVED, ROOM_FULL, STATUS } from './commands'
import type { ResponseFrame } from './frames'

/** The protocol has no statuses for these. */
const CODE_OF_REASON: Readonly<Record<string, FailureCode>> = {
  [ROOM_FULL]: 'room-full',
  [MEMBER_FULL]: 'room-full',
  [REFUSED]: 'refused',
  [REMOVED]: 'removed',
}

/** Characters of the text of a refusal that are shown. */
const MAX_REASON = 200

export function readResponse<T>(kind: string, response: ResponseFrame, decode: (data: Uint8Array) => T): T {
  expectOk(kind, response)
  try {
    return decode(response.data)
  } catch (cause) {
    if (!(cause instanceof ServiceError)) throw cause
    throw new RoomFailure('invalid-response', `The host’s answer to ${kind} is wrong: ${cause.detail}`, {
      cause,
    })
  }
}

export function expectOk(kind: string, response: ResponseFrame): void {
  const { status } = response
  if (status === STATUS.ok) return
  const reason = reasonOf(response)
  const code = status === STATUS.failed ? CODE_OF_REASON[reason] : undefined
  if (code) throw new RoomFailure(code, reason)
  throw new RoomFailure(
    'invalid-response',
    `The host refuses ${kind} with status ${status}${reason && `: ${reason}`}`,
  )
}

function reasonOf({ data }: ResponseFrame): string {
  return cleanText(new TextDecoder().decode(data.subarray(0, MAX_REASON)), MAX_REASON)
}
