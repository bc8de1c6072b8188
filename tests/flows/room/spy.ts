import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import { openSocketServer } from '#support/process/openPort'

/** Writes down every byte that passes it. */
export type Spy = {
  /** Where it listens. */
  readonly port: number
  readonly chunks: readonly Buffer[]
  close(): Promise<void>
}

/** A TCP node: everything is passed on to a port of this machine and back. */
export async function spyOnTcp(target: number): Promise<Spy> {
  const chunks: Buffer[] = []
  const { port, close } = await openSocketServer((near) => {
    const far = connect(target, '127.0.0.1')
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', (bytes: Buffer) => {
        chunks.push(bytes)
        to.write(bytes)
      })
      from.on('error', () => {})
      from.on('close', () => to.destroy())
    }
  })
  return { port, chunks, close }
}

/** A UDP node: each client has a socket of its own towards the target. */
export async function spyOnUdp(target: number): Promise<Spy> {
  const chunks: Buffer[] = []
  const near = createSocket('udp4')
  const clients = new Map<number, ReturnType<typeof createSocket>>()
  near.on('message', (bytes, { port }) => {
    chunks.push(bytes)
    const far = clients.get(port) ?? createSocket('udp4')
    if (!clients.has(port)) {
      clients.set(port, far)
      far.on('message', (answer) => {
        chunks.push(answer)
        near.send(answer, port, '127.0.0.1')
      })
    }
    far.send(bytes, target, '127.0.0.1')
  })
  near.bind(0, '127.0.0.1')
  await once(near, 'listening')
  return {
    port: near.address().port,
    chunks,
    async close() {
      for (const far of clients.values()) far.close()
      near.close()
      await once(near, 'close')
    },
  }
}

/** A machine on the LAN that is a member of a multicast group on loopback. */
export async function spyOnLan(group: string, port: number): Promise<Spy> {
  const chunks: Buffer[] = []
  const socket = createSocket({ type: 'udp4', reuseAddr: true })
  socket.on('message', (bytes) => void chunks.push(bytes))
  socket.bind(port)
  await once(socket, 'listening')
  socket.addMembership(group, '127.0.0.1')
  return {
    port,
    chunks,
    async close() {
      socket.close()
      await once(socket, 'close')
    },
  }
}
