import type { Prng } from '#support/values/prng'

/** What a member with the right secret may try. */
export const lieNames = [
  'wild-records',
  'our-own-record',
  'foreign-rows',
  'huge-record',
  'call-flood',
  'odd-pieces',
  'stray-answers',
  'stream-flood',
  'wrong-windows',
  'foreign-streams',
  'ip-rubbish',
  'flow-flood',
  'bad-seals',
  'bad-headers',
  'noise',
] as const

export type LieName = (typeof lieNames)[number]

export function drawLies(chance: Prng, most: number): readonly LieName[] {
  return Array.from(
    { length: chance.integer(1, most) },
    () => lieNames[chance.integer(0, lieNames.length - 1)] ?? 'noise',
  )
}
