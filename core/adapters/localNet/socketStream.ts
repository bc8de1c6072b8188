import type { Socket } from 'node:net'
import type { ByteStream } from '#core/byteStream'

/** Read ahead, and written before `write` waits. One read of the system brings up to 64 KiB. */
export const STREAM_BUFFER = 256 * 1024

/** After our end, how long the other side may take to close as well. */
const LINGER_MS = 5000
/** After `end`, how long the other side may take to accept what was written. */
const DELIVERY_MS = 60_000

/**
 * A connected TCP socket as a stream of bytes. Bytes are passed on as the system delivered them, without a copy.
 * Reading pauses while there is no reader, writing waits while the socket is full.
 *
 * After `end`, arriving bytes are still received and dropped: closing a socket that holds unread bytes makes the
 * system reset the connection, and the other side then loses what it had not read yet.
 */
export function streamOfSocket(socket: Socket): ByteStream {
  const arrived: Uint8Array[] = []
  let held = 0
  /** Set once no more bytes will come: `error` is undefined after an orderly close. */
  let over: { readonly error: Error | undefined } | undefined
  let isEnding = false
  let wakeReader: (() => void) | undefined
  let full: { readonly promise: Promise<void>; readonly release: () => void } | undefined
  let broken: Error | undefined
  /** Whether the reader has been told of the orderly close. */
  let isTold = false
  let resolveClosed = () => {}
  const closed = new Promise<void>((resolve) => {
    resolveClosed = resolve
  })
  socket.once('close', () => {
    finish(broken ?? new Error('The stream is closed.'))
    full?.release()
    settle()
  })
  socket.setNoDelay(true)
  socket.on('data', (bytes: Uint8Array) => {
    if (isEnding) return
    arrived.push(bytes)
    held += bytes.length
    if (held >= STREAM_BUFFER) socket.pause()
    wakeReader?.()
  })
  socket.once('end', () => finish(undefined))
  socket.on('error', (error: Error) => {
    broken = error
  })
  socket.on('drain', () => full?.release())

  /** Bytes that arrived before an orderly close can still be read. */
  function settle(): void {
    if (socket.closed && (arrived.length === 0 || over?.error !== undefined)) resolveClosed()
  }

  function finish(error: Error | undefined): void {
    over ??= { error }
    wakeReader?.()
  }

  async function read(): Promise<Uint8Array | undefined> {
    if (wakeReader !== undefined) throw new Error('A read is under way already.')
    while (arrived.length === 0 && over === undefined) {
      await new Promise<void>((resolve) => {
        wakeReader = resolve
      })
      wakeReader = undefined
    }
    const bytes = arrived.shift()
    if (bytes === undefined) {
      if (over?.error !== undefined) throw over.error
      isTold = true
      return undefined
    }
    held -= bytes.length
    settle()
    if (held < STREAM_BUFFER / 2 && socket.isPaused()) socket.resume()
    return bytes
  }

  async function write(bytes: Uint8Array): Promise<void> {
    if (isLeft()) return
    if (!socket.writable || isEnding || isTold) throw broken ?? new Error('The stream is closed.')
    if (bytes.length === 0 || socket.write(bytes)) return
    full ??= waiting()
    await full.promise
    if (socket.destroyed && !isLeft()) throw broken ?? new Error('The stream is closed.')
  }

  /**
   * The other side has closed in order, and our reader has not finished with the bytes before that. Refusing a write
   * now would look like a broken stream, and make a pipe drop those bytes; the written bytes are discarded, as if
   * they were in flight.
   */
  function isLeft(): boolean {
    return over !== undefined && over.error === undefined && !isEnding && !isTold
  }

  function waiting(): NonNullable<typeof full> {
    let release = () => {}
    const promise = new Promise<void>((resolve) => {
      release = () => {
        full = undefined
        resolve()
      }
    })
    return { promise, release: () => release() }
  }

  function destroy(): void {
    forget()
    finish(new Error('The stream is closed.'))
    socket.destroy()
  }

  function forget(): void {
    arrived.length = 0
    held = 0
    settle()
  }

  async function end(): Promise<void> {
    forget()
    if (!isEnding && !socket.destroyed) {
      isEnding = true
      finish(undefined)
      socket.resume()
      let timer = setTimeout(() => socket.destroy(), DELIVERY_MS).unref()
      socket.once('finish', () => {
        clearTimeout(timer)
        timer = setTimeout(() => socket.destroy(), LINGER_MS).unref()
      })
      socket.once('close', () => clearTimeout(timer))
      socket.end()
    }
    await closed
  }

  return { read, write, end, destroy, closed }
}
