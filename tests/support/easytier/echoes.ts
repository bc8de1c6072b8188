import { randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { until } from '#support/values/until'
import { echoOf } from '../room/testWorld'

// A world sends back whatever begins with this.
const WORD = Buffer.from('echo ')
const AGAIN_MS = 200

/**
 * Knocks at a port of loopback until something comes back, with a new connection each 200 ms: a forward takes connections
 * long before anything answers behind it.
 */
export async function firstEcho(port: number, limitMs: number): Promise<void> {
  const open = new Set<Socket>()
  let hasCome = false
  const knock = () => {
    const socket = connect(port, '127.0.0.1')
    open.add(socket)
    const sent = Buffer.concat([WORD, Buffer.from(randomBytes(8).toString('hex'))])
    let received = Buffer.alloc(0)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => open.delete(socket))
    socket.on('data', (bytes) => {
      received = Buffer.concat([received, bytes])
      if (received.length < sent.length) return
      if (received.equals(sent)) hasCome = true
      socket.destroy()
    })
    socket.write(sent)
  }
  try {
    await repeated(knock, 'an echo comes back', () => hasCome, limitMs)
  } finally {
    for (const socket of open) socket.destroy()
  }
}

/** Does something at once and again each 200 ms, until it has helped. */
async function repeated(act: () => void, what: string, isSo: () => boolean, ms: number): Promise<void> {
  act()
  const timer = setInterval(act, AGAIN_MS)
  try {
    await until(what, isSo, { ms, everyMs: 5 })
  } finally {
    clearInterval(timer)
  }
}

/** @param isText as it is, so that it can be compressed; else noise */
export async function echoBytes(port: number, size: number, isText: boolean): Promise<void> {
  const rest = isText ? Buffer.alloc(size, 'a world, a chunk, a block; ') : randomBytes(size)
  const sent = Buffer.concat([WORD, rest])
  if (!(await echoOf(port, sent)).equals(sent)) throw new Error('other bytes came back')
}

/** Sends a datagram each 200 ms until it comes back, for each size in turn. */
export async function echoDatagrams(port: number, sizes: readonly number[], limitMs: number): Promise<void> {
  const socket = createSocket('udp4')
  let heard: Buffer | undefined
  socket.on('error', () => undefined)
  socket.on('message', (bytes) => {
    heard = bytes
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  try {
    for (const size of sizes) {
      const sent = randomBytes(size)
      const send = () => socket.send(sent, port, '127.0.0.1')
      const hasCome = () => heard?.equals(sent) === true
      await repeated(send, `a datagram of ${size} bytes comes back`, hasCome, limitMs)
    }
  } finally {
    socket.close()
  }
}
