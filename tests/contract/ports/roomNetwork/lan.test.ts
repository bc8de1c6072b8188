import { meetingCases } from './meetingCases'
import { openRealNetworks } from './openRealNetworks'
import { roomNetworkSuite } from './roomNetworkSuite'
import { streamCases } from './streamCases'

// The first host that answers is taken.
const traits = { seesEveryHost: false, bulk: 2 * 1024 * 1024, searchMs: 55_000 }

roomNetworkSuite(
  'our own, on loopback, without a shared node',
  traits,
  () => openRealNetworks({ isDirect: true }),
  [meetingCases, streamCases],
)
