import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { raceSignal } from '#core/async/onAbort'
import type { Endpoint } from '#core/easytier/wire/socketAddress'
import { decodeStunStream, encodeStunRequest } from '#core/easytier/wire/stun'
import { connectTcp } from '../network/connectTcp'
import { describeSocketError } from './describeSocketError'

/**
 * Asks a STUN server over TCP for the public address of a local port. The connection is reset, so that the port can be bound again at
 * once.
 * @throws Error in a few words, or the signal's reason
 */
export async function stunTcp(server: Endpoint, localPort: number, signal: AbortSignal): Promise<Endpoint> {
  const socket = await connectTcp(server, { signal, localPort }).catch((error: unknown) => {
    throw signal.aborted ? error : describeSocketError(error)
  })
  const closed = new Promise((resolve) => socket.once('close', resolve))
  try {
    return await raceSignal(query(socket), signal)
  } finally {
    // A connection that the server has closed first leaves nothing behind, and cannot be reset any more.
    if (socket.readableEnded) socket.destroy()
    else socket.resetAndDestroy()
    await closed
  }
}

function query(socket: Socket): Promise<Endpoint> {
  const transactionId = randomBytes(12)
  let bytes = Buffer.alloc(0)
  return new Promise<Endpoint>((resolve, reject) => {
    const fail = () => reject(new Error('no answer that can be read'))
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
