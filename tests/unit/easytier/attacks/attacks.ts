import type { Prng } from '#support/values/prng'
import type { AttackContext } from './attackContext'
import { callFlood, oddPieces, strayAnswers } from './calls'
import { flowFlood, ipRubbish } from './datagrams'
import { dialTargets } from './dialTargets'
import { badHeaders, badSeals, noise, pingFlood } from './packets'
import { foreignCrowd, foreignRows, hugeRecord, ourOwnRecord, wildRecords } from './routes'
import { foreignStreams, streamFlood, wrongWindows } from './streams'

/** What a member with the right secret may try. */
export const attacks = {
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
} satisfies Record<string, (context: AttackContext) => void>

export type AttackName = keyof typeof attacks

const attackNames = Object.keys(attacks) as AttackName[]

export function drawAttacks(chance: Prng, most: number): readonly AttackName[] {
  return Array.from(
    { length: chance.integer(1, most) },
    () => attackNames[chance.integer(0, attackNames.length - 1)] ?? 'noise',
  )
}
