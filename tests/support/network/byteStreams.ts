import type { ByteStream } from '@lantern-room/base/bytes'

/** Sends every piece back, and ends when the other side does. */
export async function echoAll(stream: ByteStream): Promise<void> {
  try {
    for (let bytes = await stream.read(); bytes; bytes = await stream.read()) await stream.write(bytes)
    await stream.end()
  } catch {
    stream.destroy()
  }
}

/** What is read until the other side ends. */
export async function readAll(stream: ByteStream): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for (let bytes = await stream.read(); bytes; bytes = await stream.read()) pieces.push(bytes)
  return Buffer.concat(pieces)
}
