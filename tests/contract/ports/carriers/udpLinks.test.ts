import { randomBytes } from 'node:crypto'
import { createSystemClock } from '../../../../core/adapters/systemClock'
import type { PacketLink } from '../../../../core/room/overlay/carriers'
import { createUdpEndpoint } from '../../../../core/room/overlay/links/udpEndpoint'
import { linkSuite } from './linkSuite'
import { deferred, loopback } from './setting'

linkSuite(
  'udp',
  async (signal) => {
    const carriers = loopback()
    const sockets = [await carriers.openUdp(0), await carriers.openUdp(0)] as const
    const clock = createSystemClock()
    const [from, to] = sockets.map((socket) => createUdpEndpoint({ socket, clock, randomBytes }))
    if (!from || !to) throw new Error('unreachable')
    const accepted = deferred<PacketLink>()
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
