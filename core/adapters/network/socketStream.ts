import type { Socket } from 'node:net'
import { createDeferred, type Deferred } from '#core/async/deferred'
import type { ByteStream } from '#core/byteStream'
import { SOCKET_BUFFER } from './connectTcp'

/** How long the other side may take to close after we have. */
const LINGER_MS = 5000
/** How long the other side may take, after `end`, to accept what was written. */
const DELIVERY_MS = 60_000

/**
 * A connected TCP socket as a stream of bytes. Chunks are passed on as the system delivered them, without a copy; the socket is paused
 * while they are not read, and a write waits while the socket is full.
 *
 * `end` continues to receive (and drop) bytes: closing a socket that holds unread bytes makes the system reset the connection, and
 * the other side then loses what it has not read yet.
 */
export function socketStream(socket: Socket): ByteStream {
  const chunks: Uint8Array[] = []
  let bufferedBytes = 0
  /** Set when no more bytes will come; `error` is undefined after an orderly close. */
  let inputEnd: { readonly error: Error | undefined } | undefined
  let isEnding = false
  let wakeReader: (() => void) | undefined
  /** Pending while the socket is full. */
  let drained: Deferred<void> | undefined
  let socketError: Error | undefined
  /** Whether the reader has been told of the orderly close. */
  let isEndRead = false
  const closed = createDeferred()
  /** Whether the socket has closed. Its own `closed` can still be false when a TLS socket reports the close. */
  let isSocketClosed = false
  socket.once('close', () => {
    isSocketClosed = true
    endInput(socketError ?? closedError())
    releaseWriter()
    settle()
  })
  socket.setNoDelay(true)
  socket.on('data', (bytes: Uint8Array) => {
    if (isEnding) return
    chunks.push(bytes)
    bufferedBytes += bytes.length
    if (bufferedBytes >= SOCKET_BUFFER) socket.pause()
    wakeReader?.()
  })
  socket.once('end', () => endInput(undefined))
  socket.on('error', (error: Error) => {
    socketError = error
  })
  socket.on('drain', releaseWriter)

  /** What came before an orderly close can still be read. */
  function settle(): void {
    if (isSocketClosed && (chunks.length === 0 || inputEnd?.error !== undefined)) closed.resolve()
  }

  function endInput(error: Error | undefined): void {
    inputEnd ??= { error }
    wakeReader?.()
  }

  async function read(): Promise<Uint8Array | undefined> {
    if (wakeReader !== undefined) throw new Error('A read is already in progress.')
    while (chunks.length === 0 && inputEnd === undefined) {
      await new Promise<void>((resolve) => {
        wakeReader = resolve
      })
      wakeReader = undefined
    }
    const bytes = chunks.shift()
    if (bytes === undefined) return readEnd()
    releaseBytes(bytes.length)
    return bytes
  }

  function releaseBytes(count: number): void {
    bufferedBytes -= count
    settle()
    if (bufferedBytes < SOCKET_BUFFER / 2 && socket.isPaused()) socket.resume()
  }

  function readEnd(): undefined {
    if (inputEnd?.error !== undefined) throw inputEnd.error
    isEndRead = true
  }

  async function write(bytes: Uint8Array): Promise<void> {
    if (isEndUnread()) return
    if (!socket.writable || isEnding || isEndRead) throw writeError()
    if (bytes.length === 0 || socket.write(bytes)) return
    drained ??= createDeferred()
    await drained.promise
    if (socket.destroyed && !isEndUnread()) throw writeError()
  }

  function writeError(): Error {
    return socketError ?? closedError()
  }

  function releaseWriter(): void {
    drained?.resolve()
    drained = undefined
  }

  /**
   * Whether the other side has closed in order while our reader still has bytes from before. Writes are then dropped silently: an
   * error would look like a broken stream, and make a pipe drop the unread bytes.
   */
  function isEndUnread(): boolean {
    return inputEnd !== undefined && inputEnd.error === undefined && !isEnding && !isEndRead
  }

  function destroy(): void {
    dropChunks()
    endInput(closedError())
    socket.destroy()
  }

  function dropChunks(): void {
    chunks.length = 0
    bufferedBytes = 0
    settle()
  }

  async function end(): Promise<void> {
    dropChunks()
    if (!isEnding && !socket.destroyed) {
      isEnding = true
      endInput(undefined)
      socket.resume()
      endSocket(socket)
    }
    await closed.promise
  }

  return { read, write, end, destroy, closed: closed.promise }
}

/** Sends what is queued, and destroys the socket when the other side does not accept it or does not close in time. */
function endSocket(socket: Socket): void {
  let timer = setTimeout(() => socket.destroy(), DELIVERY_MS).unref()
  socket.once('finish', () => {
    clearTimeout(timer)
    timer = setTimeout(() => socket.destroy(), LINGER_MS).unref()
  })
  socket.once('close', () => clearTimeout(timer))
  socket.end()
}

function closedError(): Error {
  return new Error('The stream is closed.')
}
