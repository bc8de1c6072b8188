import { connectionSuite } from './connectionSuite'
import { loopback, tcpPair } from './setting'

connectionSuite(
  'tcp',
  async (signal) => {
    const [near, far] = await tcpPair(loopback(), signal)
    return { near, far, close: async () => {} }
  },
  { isStream: true },
)
