import { lifeCases } from './lifeCases'
import { openRealNetworks } from './openRealNetworks'
import { roomNetworkSuite } from './roomNetworkSuite'

// What a choice of ways has a part in: how they break and come back. Whichever of two hosts is found first on the LAN is taken.
const traits = { seesEveryHost: false, bulk: 2 * 1024 * 1024, searchMs: 55_000 }

roomNetworkSuite(
  'our own, on loopback, by every way there is',
  traits,
  () => openRealNetworks({ isDirect: true, nodes: ['udp', 'ws', 'tcp'] }),
  [lifeCases],
)
