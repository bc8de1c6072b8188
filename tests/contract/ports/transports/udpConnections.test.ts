import { randomBytes } from 'node:crypto'
import { createSystemClock } from '#core/adapters/system/systemClock'
import { createDeferred } from '#core/async/deferred'
import type { Connection } from '#core/easytier/transport/transports'
import { createUdpTransport } from '#core/easytier/transport/udpTransport'
import { connectionSuite } from './connectionSuite'
import { loopback } from './setting'

connectionSuite(
  'udp',
  async (signal) => {
    const transports = loopback()
    const sockets = [await transports.openUdp(0), await transports.openUdp(0)] as const
    const clock = createSystemClock()
    const [from, to] = sockets.map((socket) => createUdpTransport({ socket, clock, randomBytes }))
    if (!from || !to) throw new Error('unreachable')
    const accepted = createDeferred<Connection>()
    to.accept(accepted.resolve)
    const near = await from.dial({ address: '127.0.0.1', port: to.port }, signal)
    return {
      near,
      far: await accepted.promise,
      close() {
        from.close()
        to.close()
        return Promise.all(sockets.map(({ closed }) => closed))
      },
    }
  },
  { isStream: false },
)
