import type { Prng } from '#support/values/prng'

/** What a member with the right secret may try. */
const attackNames = [
  'wild-records',
  'our-own-record',
  'foreign-rows',
  'huge-record',
  'foreign-crowd',
  'call-flood',
  'odd-pieces',
  'stray-answers',
  'stream-flood',
  'wrong-windows',
  'foreign-streams',
  'ip-rubbish',
  'flow-flood',
  'dial-targets',
  'ping-flood',
  'bad-seals',
  'bad-headers',
  'noise',
] as const

export type AttackName = (typeof attackNames)[number]

export function drawAttacks(chance: Prng, most: number): readonly AttackName[] {
  return Array.from(
    { length: chance.integer(1, most) },
    () => attackNames[chance.integer(0, attackNames.length - 1)] ?? 'noise',
  )
}
