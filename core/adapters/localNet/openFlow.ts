import { createSocket } from 'node:dgram'
import type { Clock } from '#core/async/clock'
import type { DatagramFlow } from '#core/byteStream'
import { enlargeBuffers } from '../network/nodeSockets'
import { createFlow } from './flow'
import { FLOW_BUFFER } from './listenFlows'

/** Datagrams held until the socket is ready, which takes one turn of the event loop. */
const MAX_QUEUED = 64

/** A flow to a UDP port of this machine. Only datagrams from that port are received. */
export function openFlow(port: number, clock: Clock): DatagramFlow {
  const socket = createSocket('udp4')
  const queued: Uint8Array[] = []
  let isReady = false
  let isOpen = true

  const put = (bytes: Uint8Array) => socket.send(bytes, () => {})
  const end = createFlow(
    (bytes) => {
      if (isReady) put(bytes)
      else if (queued.length < MAX_QUEUED) queued.push(bytes)
    },
    {
      clock,
      idleMs: undefined,
      onClose() {
        isOpen = false
        socket.close()
      },
    },
  )
  // No program listens on the port yet: the datagram is lost, as datagrams may be.
  socket.on('error', () => {})
  socket.on('message', (bytes) => end.receive(bytes))
  socket.once('connect', () => {
    if (!isOpen) return
    isReady = true
    enlargeBuffers(socket, FLOW_BUFFER)
    for (const bytes of queued.splice(0)) put(bytes)
  })
  socket.connect(port, '127.0.0.1')
  return end.flow
}
