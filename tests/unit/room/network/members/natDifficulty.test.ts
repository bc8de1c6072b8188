import type { NatType } from '@lantern-room/easytier'
import { natDifficulty } from '#internal/room/network/members/natReport'
import type { Difficulty } from '#internal/room/networkStatus'
import { assert, suite } from '#support/runner/suite'

const test = suite('how hard a direct connection is')

const cases: readonly (readonly [NatType, NatType, Difficulty])[] = [
  [1, 1, 'EASIEST'],
  [1, 6, 'EASIEST'],
  [1, 0, 'EASIEST'],
  [2, 6, 'SIMPLE'],
  [3, 5, 'SIMPLE'],
  [3, 0, 'SIMPLE'],
  [4, 6, 'MEDIUM'],
  [5, 5, 'MEDIUM'],
  [5, 9, 'MEDIUM'],
  [6, 6, 'TOUGH'],
  [7, 8, 'TOUGH'],
  [0, 6, 'UNKNOWN'],
  [0, 0, 'UNKNOWN'],
]
for (const [one, other, difficulty] of cases)
  test(`${one} and ${other} are ${difficulty}, either way round`, () => {
    assert.is(natDifficulty(one, other), difficulty)
    assert.is(natDifficulty(other, one), difficulty)
  })

test.run()
