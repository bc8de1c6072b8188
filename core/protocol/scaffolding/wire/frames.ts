import { ServiceError } from '@lantern-room/base'
import type { ByteStream } from '@lantern-room/base/bytes'
import { createByteBuffer, viewOf } from '@lantern-room/base/bytes'

/** A value decoded from the beginning of some bytes, and the number of bytes that it took. */
export type Decoded<T> = { readonly value: T; readonly length: number }

export type RequestFrame = {
  /** The command, `namespace:value`. Bytes that are not UTF-8 become U+FFFD, which is in no command. */
  readonly kind: string
  readonly body: Uint8Array
}

export type ResponseFrame = {
  /** 0 to 255. */
  readonly status: number
  readonly data: Uint8Array
}

const MAX_KIND = 255
export const MAX_BODY = 64 * 1024
/** Data that a guest accepts: far more than the longest list of players. */
export const MAX_DATA = 1024 * 1024

const kindEncoder = new TextEncoder()
/** A byte order mark is kept, because it is part of the kind. */
const kindDecoder = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * @throws RangeError when the kind is longer than 255 bytes or the body than 64 KiB
 * @see docs/room-protocol.md, "Frames"
 */
export function encodeRequest({ kind, body }: RequestFrame): Uint8Array {
  const name = kindEncoder.encode(kind)
  if (name.length > MAX_KIND) throw new RangeError(`a kind of ${name.length} bytes does not fit a frame`)
  if (body.length > MAX_BODY) throw new RangeError(`a body of ${body.length} bytes does not fit a frame`)
  const frame = new Uint8Array(1 + name.length + 4 + body.length)
  frame[0] = name.length
  frame.set(name, 1)
  viewOf(frame).setUint32(1 + name.length, body.length)
  frame.set(body, 1 + name.length + 4)
  return frame
}

/** @throws RangeError when the status is not a byte or the data is longer than 1 MiB */
export function encodeResponse({ status, data }: ResponseFrame): Uint8Array {
  if (!Number.isInteger(status) || status < 0 || status > 255)
    throw new RangeError(`${status} is not a status`)
  if (data.length > MAX_DATA) throw new RangeError(`data of ${data.length} bytes does not fit a frame`)
  const frame = new Uint8Array(5 + data.length)
  frame[0] = status
  viewOf(frame).setUint32(1, data.length)
  frame.set(data, 5)
  return frame
}

/**
 * @returns undefined when the frame is incomplete; its bytes are copies
 * @throws ServiceError `payload-too-large` as soon as the header announces a body beyond 64 KiB
 */
export function decodeRequest(bytes: Uint8Array): Decoded<RequestFrame> | undefined {
  const kindLength = bytes[0]
  if (kindLength === undefined) return undefined
  const start = 1 + kindLength
  const body = readSized(bytes, start, MAX_BODY, 'The body')
  if (!body) return undefined
  return {
    value: { kind: kindDecoder.decode(bytes.subarray(1, start)), body },
    length: start + 4 + body.length,
  }
}

/**
 * @returns undefined when the frame is incomplete; its bytes are copies
 * @throws ServiceError `payload-too-large` as soon as the header announces data beyond 1 MiB
 */
export function decodeResponse(bytes: Uint8Array): Decoded<ResponseFrame> | undefined {
  const status = bytes[0]
  if (status === undefined) return undefined
  const data = readSized(bytes, 1, MAX_DATA, 'The data')
  return data && { value: { status, data }, length: 5 + data.length }
}

/** Reads a 32-bit length and a copy of as many bytes. */
function readSized(bytes: Uint8Array, at: number, max: number, what: string): Uint8Array | undefined {
  if (bytes.length < at + 4) return undefined
  const length = viewOf(bytes).getUint32(at)
  if (length > max) {
    throw new ServiceError('payload-too-large', `${what} of ${length} bytes is too long: at most ${max}.`)
  }
  const end = at + 4 + length
  return bytes.length < end ? undefined : bytes.slice(at + 4, end)
}

/**
 * Buffers the bytes of a stream until they form a frame.
 * @returns a function that reads the next frame, whose bytes may arrive split or together with other frames; undefined when the other
 *   side closed the stream between two frames. One call at a time. It throws an Error when the stream broke or ended within a frame,
 *   and what `decode` throws
 */
export function createFrameReader<T>(
  stream: Pick<ByteStream, 'read'>,
  decode: (bytes: Uint8Array) => Decoded<T> | undefined,
): () => Promise<T | undefined> {
  const buffer = createByteBuffer()
  return async () => {
    for (;;) {
      const frame = buffer.size() > 0 ? decode(buffer.view()) : undefined
      if (frame) {
        buffer.drop(frame.length)
        return frame.value
      }
      const bytes = await stream.read()
      if (bytes) buffer.append(bytes)
      else if (buffer.size() > 0) throw new Error('The stream ended within a frame.')
      else return undefined
    }
  }
}
