import { lineTail } from '#internal/adapters/process/lineTail'
import { assert, suite } from '#support/runner/suite'

const test = suite('the last lines of a program')
const all = () => true

test('lines end with any of the three line ends, in any split of the bytes', () => {
  const bytes = Buffer.from('one\ntwo\r\nthree\rfour €\n\nsix')
  for (let first = 0; first <= bytes.length; first++)
    for (let second = first; second <= bytes.length; second++) {
      const seen: string[] = []
      const tail = lineTail(1000, (line) => seen.push(line) > 0)
      tail.push(bytes.subarray(0, first))
      tail.push(bytes.subarray(first, second))
      tail.push(bytes.subarray(second))
      const text = tail.end()
      assert.equal(
        text.split('\n').filter((line) => line !== ''),
        ['one', 'two', 'three', 'four €', 'six'],
      )
      assert.equal(
        seen.filter((line) => line !== ''),
        ['one', 'two', 'three', 'four €', 'six'],
      )
    }
})

test('lines that are not kept are seen but forgotten', () => {
  const tail = lineTail(1000, (line) => !line.startsWith('frame='))
  tail.push(Buffer.from('a\nframe=1\nb\nframe=2'))
  assert.is(tail.end(), 'a\nb')
})

test('only the end is remembered, in whole lines, never more than the limit', () => {
  const tail = lineTail(100, all)
  for (let n = 0; n < 10_000; n++) tail.push(Buffer.from(`line ${n}\n`))
  const lines = tail.end().split('\n')
  assert.is(lines.at(-1), 'line 9999')
  assert.is(lines.length, 10)
  assert.ok(lines.every((line, n) => line === `line ${10_000 - lines.length + n}`))
  const exact = lineTail(10, all)
  exact.push(Buffer.from('aaaa\nbbbb\ncccc\n'))
  assert.is(exact.end(), 'bbbb\ncccc')
})

test('a line that never ends is cut and does not fill the memory', () => {
  const lengths: number[] = []
  const tail = lineTail(20_000, (line) => lengths.push(line.length) > 0)
  for (let n = 0; n < 100; n++) tail.push(Buffer.alloc(10_000, 'x'))
  const text = tail.end()
  assert.ok(text.length <= 20_000 && text.length > 8000)
  assert.ok(Math.max(...lengths) <= 8192)
  assert.is(
    lengths.reduce((sum, length) => sum + length, 0),
    1_000_000,
  )
})

test('a character cut by the end is shown as unknown, and nothing said is nothing', () => {
  const cut = lineTail(100, all)
  cut.push(Buffer.from('€').subarray(0, 2))
  assert.is(cut.end(), '\ufffd')
  assert.is(lineTail(100, all).end(), '')
})

test.run()
