import { assert, suite } from '#support/runner/suite'
import { parseTime } from '../../../../../local-runner/cli/options/readOptions'

const test = suite('times on the command line')

const times: readonly [string, number][] = [
  ['0', 0],
  ['1.5', 1.5],
  ['.5', 0.5],
  ['5.', 5],
  ['007', 7],
  ['90', 90],
  ['600.25', 600.25],
  ['0:01.5', 1.5],
  ['1:2', 62],
  ['01:02.345', 62.345],
  ['1:59.999', 119.999],
  ['90:00', 5400],
  ['1:02:03', 3723],
  ['01:02:03.5', 3723.5],
  ['100:00:00', 360_000],
  [' 1.5 ', 1.5],
  ['+2', 2],
  ['-1.5', -1.5],
  ['-1:00', -60],
]
for (const [text, seconds] of times)
  test(`"${text}" is ${seconds} s`, () => assert.is(parseTime(text), seconds))

const wrong =
  ', ,.,-,:,1:,:1,1:60,1:60:00,1:2:60,1:2:3:4,1::2,1,5x,1e3,0x10,NaN,Infinity,--1,1 2,1;2,1:-2,１'.split(',')
for (const text of [...wrong, '1,5', '1'.repeat(10), '1\n2', '1:02:03:04'])
  if (text !== '1') test(`${JSON.stringify(text)} is no time`, () => assert.is(parseTime(text), undefined))

test.run()
