import { openRealNetworks } from './openRealNetworks'
import { roomNetworkSuite } from './roomNetworkSuite'

const traits = { seesEveryHost: true, bulk: 2 * 1024 * 1024, searchMs: 55_000 }

roomNetworkSuite('our own, on loopback, through a relay alone', traits, () =>
  openRealNetworks({ isDirect: false, nodes: ['tcp'] }),
)
