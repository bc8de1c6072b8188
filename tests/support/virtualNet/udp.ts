import { createDeferred } from '@lantern-room/base/async'
import type { UdpSocket } from '@lantern-room/easytier/transport'
import type { Endpoint } from '@lantern-room/easytier/wire'
import { encodeStunResponse, stunRequestId } from '#support/network/stun'
import { arrive, depart, expected, lineBetween } from './ways'
import type { Machine, Process, World } from './world'

export function openUdp(world: World, machine: Machine, process: Process, port: number): UdpSocket {
  const { promise: closed, resolve: tellClosed } = createDeferred()
  let isOpen = true
  if (process.udpSockets.has(port)) throw new Error(`UDP port ${port} is taken`)
  process.udpSockets.set(port, () => {})
  return {
    port,
    closed,
    send(bytes, to) {
      if (isOpen && process.isAlive) sendDatagram(world, machine, port, bytes, to)
    },
    onDatagram(listener) {
      if (isOpen) process.udpSockets.set(port, listener)
    },
    close() {
      if (isOpen) process.udpSockets.delete(port)
      isOpen = false
      tellClosed()
    },
  }
}

function sendDatagram(world: World, machine: Machine, port: number, bytes: Uint8Array, to: Endpoint): void {
  const { clock, random } = world
  if (!machine.isOnline) return
  const departure = depart(world, machine, 'udp', port, to)
  if (!departure) return
  const line = lineBetween(world, machine, expected(world, departure))
  if (line.isCut) return
  const times = line.duplication > 0 && random() < line.duplication ? 2 : 1
  for (let time = 0; time < times; time += 1) {
    if (line.loss > 0 && random() < line.loss) continue
    const copy = bytes.slice()
    clock.after(line.delayMs + (line.jitterMs > 0 ? random() * line.jitterMs : 0), () => {
      const at = arrive(world, departure)
      if (!at?.machine.isOnline) return
      const id = at.machine.stunPorts.has(at.port) ? stunRequestId(copy) : undefined
      const { from } = departure
      if (id) sendDatagram(world, at.machine, at.port, encodeStunResponse(id, from), from)
      else at.machine.process.udpSockets.get(at.port)?.(copy, from)
    })
  }
}
