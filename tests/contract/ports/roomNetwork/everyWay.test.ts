import { openRealNetworks } from './openRealNetworks'
import { roomNetworkSuite } from './roomNetworkSuite'

// Whichever of two hosts is found first on the LAN is taken.
const traits = { seesEveryHost: false, bulk: 8 * 1024 * 1024, searchMs: 55_000 }

roomNetworkSuite('our own, on loopback, by every way there is', traits, () =>
  openRealNetworks({ isDirect: true, nodes: ['udp', 'ws', 'tcp'] }),
)
