import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Endpoint } from '#core/easytier/wire/socketAddress'
import { decodeStunStream, encodeStunRequest } from '#core/easytier/wire/stun'
import { abortReason } from '#core/errors'
import { connectSocket } from './tcpTransport'

/**
 * Asks a STUN server over TCP for the public address of a local port. The connection is reset, so that no state
 * remains and the port can be bound again at once.
 * @throws Error in a few words, or the signal's reason
 */
export async function stunTcp(server: Endpoint, localPort: number, signal: AbortSignal): Promise<Endpoint> {
  const socket = await connectSocket(server, signal, localPort)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  try {
    return await ask(socket, signal)
  } finally {
    // If the server has closed first, no state remains on this side, and the connection cannot be reset any more.
    if (socket.readableEnded) socket.destroy()
    else socket.resetAndDestroy()
    await closed
  }
}

function ask(socket: Socket, signal: AbortSignal): Promise<Endpoint> {
  const transactionId = randomBytes(12)
  let bytes = Buffer.alloc(0)
  return new Promise<Endpoint>((resolve, reject) => {
    const abort = () => reject(abortReason(signal))
    const fail = () => reject(new Error('no answer that can be read'))
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    socket.once('close', () => signal.removeEventListener('abort', abort))
    socket.on('error', fail).once('end', fail)
    socket.on('data', (chunk: Uint8Array) => {
      bytes = Buffer.concat([bytes, chunk])
      const decoded = decodeStunStream(bytes)
      if (decoded === undefined) return
      const { message } = decoded
      const isOurs = message?.kind === 'response' && transactionId.equals(message.transactionId)
      if (isOurs && message.mapped) resolve(message.mapped)
      else fail()
    })
    socket.write(encodeStunRequest(transactionId))
  })
}
