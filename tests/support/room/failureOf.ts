import { ProtocolFailure } from '@lantern-room/protocol/client'
import { RoomFailure } from '@lantern-room/room'

/** The code of the failure, of a room or of its protocol, that a promise rejects with; another error as text. */
export function failureCode(work: Promise<unknown>): Promise<string> {
  return told(work, ({ code }) => code)
}

/** The same as `code: detail`. */
export function failureText(work: Promise<unknown>): Promise<string> {
  return told(work, ({ code, detail }) => `${code}: ${detail}`)
}

function told(
  work: Promise<unknown>,
  tell: (failure: RoomFailure | ProtocolFailure) => string,
): Promise<string> {
  return work.then(
    () => 'no failure',
    (error: unknown) =>
      error instanceof RoomFailure || error instanceof ProtocolFailure ? tell(error) : String(error),
  )
}
