import { openRealNetworks } from './openRealNetworks'
import { roomNetworkSuite } from './roomNetworkSuite'

// On a LAN alone a room's name tells nothing, so a wrong secret is another room; and the first host that answers is taken.
const traits = { knowsWrongSecrets: false, seesEveryHost: false, bulk: 8 * 1024 * 1024, searchMs: 25_000 }

roomNetworkSuite('our own, on loopback, without a shared node', traits, () =>
  openRealNetworks({ isDirect: true }),
)
