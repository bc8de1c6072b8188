import { connect, type Socket } from 'node:net'
import { abortReason } from '#core/errors'
import { STREAM_BUFFER } from './socketStream'

/**
 * A connected socket, paused until its bytes are read.
 * @throws the system's error when refused, Error after `timeoutMs`, or the signal's reason
 */
export function connectTcp(
  at: { readonly host: string; readonly port: number },
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(abortReason(signal))
    // An option of the stream that is missing in the types of `connect`.
    const options = { ...at, highWaterMark: STREAM_BUFFER, noDelay: true }
    const socket = connect(options)
    const fail = (error: unknown) => {
      settle()
      // A closing socket may still emit an error.
      socket.on('error', () => {})
      socket.destroy()
      reject(error)
    }
    const abort = () => fail(signal && abortReason(signal))
    const timer = setTimeout(
      () => fail(new Error(`No connection to ${at.host}:${at.port} in ${timeoutMs} ms.`)),
      timeoutMs,
    )
    const settle = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      socket.off('error', fail)
    }
    signal?.addEventListener('abort', abort, { once: true })
    socket.once('error', fail)
    socket.once('connect', () => {
      settle()
      resolve(socket)
    })
  })
}
