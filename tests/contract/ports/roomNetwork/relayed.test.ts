import { overlaySuite } from './overlaySuite'
import { openRealGround } from './realGround'

const traits = { knowsWrongSecrets: true, seesEveryHost: true, bulk: 8 * 1024 * 1024, searchMs: 30_000 }

overlaySuite('our own, on loopback, through a relay alone', traits, () =>
  openRealGround({ isDirect: false, nodes: ['tcp'] }),
)
