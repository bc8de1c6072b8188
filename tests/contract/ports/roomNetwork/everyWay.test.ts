import { overlaySuite } from './overlaySuite'
import { openRealGround } from './realGround'

// Whichever of two hosts is found first on the LAN is taken.
const traits = { knowsWrongSecrets: true, seesEveryHost: false, bulk: 8 * 1024 * 1024, searchMs: 30_000 }

overlaySuite('our own, on loopback, by every way there is', traits, () =>
  openRealGround({ isDirect: true, nodes: ['udp', 'ws', 'tcp'] }),
)
