import type { AttackName } from '../attackPlan'
import type { AttackContext } from './attackContext'
import { callFlood, oddPieces, strayAnswers } from './calls'
import { flowFlood, ipRubbish } from './datagrams'
import { dialTargets } from './dialTargets'
import { badHeaders, badSeals, noise, pingFlood } from './packets'
import { foreignCrowd, foreignRows, hugeRecord, ourOwnRecord, wildRecords } from './routes'
import { foreignStreams, streamFlood, wrongWindows } from './streams'

export const attacks: Readonly<Record<AttackName, (context: AttackContext) => void>> = {
  'wild-records': wildRecords,
  'our-own-record': ourOwnRecord,
  'foreign-rows': foreignRows,
  'huge-record': hugeRecord,
  'foreign-crowd': foreignCrowd,
  'call-flood': callFlood,
  'odd-pieces': oddPieces,
  'stray-answers': strayAnswers,
  'stream-flood': streamFlood,
  'wrong-windows': wrongWindows,
  'foreign-streams': foreignStreams,
  'ip-rubbish': ipRubbish,
  'flow-flood': flowFlood,
  'dial-targets': dialTargets,
  'ping-flood': pingFlood,
  'bad-seals': badSeals,
  'bad-headers': badHeaders,
  noise,
}
