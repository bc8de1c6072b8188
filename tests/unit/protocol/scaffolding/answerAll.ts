import type { ByteStream } from '@lantern-room/base/bytes'
import { FINGERPRINT } from '#internal/protocol/scaffolding/wire/commands'
import {
  createFrameReader,
  decodeRequest,
  encodeResponse,
  type ResponseFrame,
} from '#internal/protocol/scaffolding/wire/frames'

/** What a host of such a room says to the first `c:ping`. */
export const ROOM_FINGERPRINT = FINGERPRINT

export type Answer = ResponseFrame

/** Answers each kind of request so, until the guest closes the stream; what is not there is not answered at all. */
export async function answerAll(
  stream: ByteStream,
  answers: Readonly<Record<string, Answer>>,
): Promise<void> {
  const read = createFrameReader(stream, decodeRequest)
  try {
    for (let request = await read(); request; request = await read()) {
      const answer = answers[request.kind]
      if (answer) await stream.write(encodeResponse(answer))
    }
  } catch {
    stream.destroy()
  }
}
