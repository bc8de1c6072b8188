import { createDeferred } from '@lantern-room/base/async'
import type { UdpSocket } from '@lantern-room/easytier/transport'
import type { Endpoint } from '@lantern-room/easytier/wire'

/** A UDP socket whose network is the test: it learns what is sent, and delivers what is to arrive. */
export function createFakeUdpSocket(port: number, send: UdpSocket['send'] = () => {}) {
  const { promise: closed, resolve: close } = createDeferred()
  let listener: Parameters<UdpSocket['onDatagram']>[0] = () => {}
  const socket: UdpSocket = {
    port,
    closed,
    close,
    send,
    onDatagram(next) {
      listener = next
    },
  }
  return { socket, deliver: (bytes: Uint8Array, from: Endpoint) => listener(bytes, from) }
}
