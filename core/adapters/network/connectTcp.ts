import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { raceSignal } from '@lantern-room/base/async'
import { noteOwnConnection } from './ownConnections'

/** Bytes that a socket reads ahead and takes before it reports that it is full; one read of the system brings up to 64 KiB. */
export const SOCKET_BUFFER = 256 * 1024

/**
 * A connected socket, paused until something listens for its bytes.
 * @param options.localPort binds the socket; other connections may share the port, listeners not
 * @throws the system's error when refused, or the signal's reason
 */
export async function connectTcp(
  to: { readonly address: string; readonly port: number },
  options: { readonly signal?: AbortSignal | undefined; readonly localPort?: number | undefined },
): Promise<Socket> {
  const { signal, localPort } = options
  signal?.throwIfAborted()
  const { address: host, port } = to
  // `highWaterMark` is the stream's own option, which the types of `connect` do not have.
  const socketOptions = { host, port, highWaterMark: SOCKET_BUFFER, noDelay: true }
  const socket = connect(localPort ? { ...socketOptions, localPort } : socketOptions)
  noteOwnConnection(socket)
  try {
    const connected = once(socket, 'connect')
    await (signal ? raceSignal(connected, signal) : connected)
    return socket
  } catch (error) {
    // Another error may follow while it closes.
    socket.on('error', () => {}).destroy()
    throw error
  }
}
