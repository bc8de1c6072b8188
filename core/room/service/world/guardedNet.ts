import { onAbort } from '#core/async/onAbort'
import type { DatagramFlow } from '#core/byteStream'
import type { OwnPorts } from '#core/ownPorts'
import type { LocalNet } from '../../ports'

/**
 * Notes the ports on which rooms listen, and refuses to lead anything to a port of this program: the last defence, by whatever
 * order, announcement or kept room a port came to be shared.
 */
export function guardLocalNet(localNet: LocalNet, ownPorts: OwnPorts): LocalNet {
  return {
    async listen(ports, onStream, signal, at) {
      const listening = await localNet.listen(ports, onStream, signal, at)
      // Only games come to a forward, and these use every address.
      const forget = ownPorts.add('tcp', listening.port, at === 'every-address' ? 'forward' : 'room')
      void listening.closed.then(forget)
      return listening
    },

    async listenDatagrams(port, onFlow, signal) {
      const isOpen = await localNet.listenDatagrams(port, onFlow, signal)
      if (isOpen) onAbort(signal, ownPorts.add('udp', port, 'forward'))
      return isOpen
    },

    async connect(port, signal) {
      if (ownPorts.useOf('tcp', port)) throw new Error(`TCP port ${port} is this program’s own`)
      return localNet.connect(port, signal)
    },

    openDatagrams: (port) => (ownPorts.useOf('udp', port) ? CLOSED : localNet.openDatagrams(port)),
  }
}

const CLOSED: DatagramFlow = { send() {}, onDatagram() {}, close() {}, closed: Promise.resolve() }
