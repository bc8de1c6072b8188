import { openRealNetworks } from './openRealNetworks'
import { roomNetworkSuite } from './roomNetworkSuite'

// The first host that answers is taken.
const traits = { seesEveryHost: false, bulk: 8 * 1024 * 1024, searchMs: 55_000 }

roomNetworkSuite('our own, on loopback, without a shared node', traits, () =>
  openRealNetworks({ isDirect: true }),
)
