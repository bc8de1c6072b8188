import type { Socket } from 'node:net'
import { createDeferred, type Deferred } from '@lantern-room/base/async'
import type { ByteStream } from '@lantern-room/base/bytes'
import { ByteQueue } from '@lantern-room/base/bytes'
import { SOCKET_BUFFER } from './connectTcp'

/** How long the other side may take to close after we have. */
const LINGER_MS = 5000
/** How long the other side may take, after `end`, to accept what was written. */
const DELIVERY_MS = 60_000

/** Chunks of so many bytes together are passed on as one; a socket gives no larger one by itself. */
const JOINED = 64 * 1024

/**
 * A connected TCP socket as a stream of bytes. A read passes a chunk on without a copy, and takes small ones together. The socket is
 * paused while much is not read, and a write waits while the socket is full.
 *
 * `end` continues to receive (and drop) bytes: closing a socket that holds unread bytes makes the system reset the connection, and
 * the other side then loses what it has not read yet.
 */
export function socketStream(socket: Socket): ByteStream {
  return new SocketStream(socket)
}

/** Its public members are fields, because callers spread streams and pass their methods on. */
class SocketStream implements ByteStream {
  readonly #socket: Socket
  readonly #received = new ByteQueue()
  /** Set when no more bytes will come; `error` is undefined after an orderly close. */
  #inputEnd: { readonly error: Error | undefined } | undefined
  #isEnding = false
  #wakeReader: (() => void) | undefined
  /** Pending while the socket is full. */
  #drained: Deferred<void> | undefined
  #socketError: Error | undefined
  /** Whether the reader has been told of the orderly close. */
  #isEndRead = false
  readonly #closed = createDeferred()
  readonly closed = this.#closed.promise
  /** Whether the socket has closed. Its own `closed` can still be false when a TLS socket reports the close. */
  #isSocketClosed = false

  constructor(socket: Socket) {
    this.#socket = socket
    socket.once('close', () => this.#onClose())
    socket.setNoDelay(true)
    socket.on('data', (bytes: Uint8Array) => this.#onData(bytes))
    socket.once('end', () => this.#endInput(undefined))
    socket.on('error', (error: Error) => {
      this.#socketError = error
    })
    socket.on('drain', () => this.#releaseWriter())
  }

  readonly read = async (): Promise<Uint8Array | undefined> => {
    if (this.#wakeReader !== undefined) throw new Error('A read is already in progress.')
    while (this.#received.size === 0 && this.#inputEnd === undefined) {
      await new Promise<void>((resolve) => {
        this.#wakeReader = resolve
      })
      this.#wakeReader = undefined
    }
    if (this.#received.size === 0) {
      if (this.#inputEnd?.error !== undefined) throw this.#inputEnd.error
      this.#isEndRead = true
      return undefined
    }
    const bytes = this.#takeReceived()
    this.#settle()
    if (this.#socket.isPaused()) this.#socket.resume()
    return bytes
  }

  readonly write = async (bytes: Uint8Array): Promise<void> => {
    if (this.#isEndUnread()) return
    if (!this.#socket.writable || this.#isEnding || this.#isEndRead) throw this.#writeError()
    if (bytes.length === 0 || this.#socket.write(bytes)) return
    this.#drained ??= createDeferred()
    await this.#drained.promise
    if (this.#socket.destroyed && !this.#isEndUnread()) throw this.#writeError()
  }

  readonly end = async (): Promise<void> => {
    this.#dropReceived()
    if (!this.#isEnding && !this.#socket.destroyed) {
      this.#isEnding = true
      this.#endInput(undefined)
      this.#socket.resume()
      endSocket(this.#socket)
    }
    await this.closed
  }

  readonly destroy = (): void => {
    this.#dropReceived()
    this.#endInput(closedError())
    this.#socket.destroy()
  }

  /** All that has come where that is little; else what lies together, without a copy. */
  #takeReceived(): Uint8Array {
    const { size } = this.#received
    return size <= JOINED ? this.#received.take(size) : this.#received.takePiece(SOCKET_BUFFER)
  }

  #onData(bytes: Uint8Array): void {
    if (this.#isEnding) return
    this.#received.append(bytes)
    if (this.#received.size >= SOCKET_BUFFER) this.#socket.pause()
    this.#wakeReader?.()
  }

  #onClose(): void {
    this.#isSocketClosed = true
    this.#endInput(this.#socketError ?? closedError())
    this.#releaseWriter()
    this.#settle()
  }

  /** What came before an orderly close can still be read. */
  #settle(): void {
    if (!this.#isSocketClosed) return
    if (this.#received.size === 0 || this.#inputEnd?.error !== undefined) this.#closed.resolve()
  }

  #endInput(error: Error | undefined): void {
    this.#inputEnd ??= { error }
    this.#wakeReader?.()
  }

  #writeError(): Error {
    return this.#socketError ?? closedError()
  }

  #releaseWriter(): void {
    this.#drained?.resolve()
    this.#drained = undefined
  }

  /**
   * Whether the other side has closed in order while our reader still has bytes from before. Writes are then dropped silently: an
   * error would look like a broken stream, and make a pipe drop the unread bytes.
   */
  #isEndUnread(): boolean {
    const isOrderly = this.#inputEnd !== undefined && this.#inputEnd.error === undefined
    return isOrderly && !this.#isEnding && !this.#isEndRead
  }

  #dropReceived(): void {
    this.#received.clear()
    this.#settle()
  }
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
