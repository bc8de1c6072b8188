import { createSocket } from 'node:dgram'
import type { DatagramFlow } from '#core/byteStream'
import type { Clock } from '#core/clock'
import { enlarge } from './datagramFlows'
import { createFlow } from './flow'

/** Held until the socket is ready, which takes one turn of the loop. */
const MAX_WAITING = 64

/** A flow to a UDP port of this machine. Only datagrams from that port are accepted. */
export function openFlow(port: number, clock: Clock): DatagramFlow {
  const socket = createSocket('udp4')
  const waiting: Uint8Array[] = []
  let isReady = false
  let isOpen = true

  const put = (bytes: Uint8Array) => socket.send(bytes, () => {})
  const end = createFlow(
    (bytes) => {
      if (isReady) put(bytes)
      else if (waiting.length < MAX_WAITING) waiting.push(bytes)
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
  // The port is not open yet: the datagram is lost, as datagrams may be.
  socket.on('error', () => {})
  socket.on('message', (bytes) => end.receive(bytes))
  socket.once('connect', () => {
    if (!isOpen) return
    isReady = true
    enlarge(socket)
    for (const bytes of waiting.splice(0)) put(bytes)
  })
  socket.connect(port, '127.0.0.1')
  return end.flow
}
