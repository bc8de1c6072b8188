import { readNow } from '@lantern-room/mp4/source'
import { readApng } from '#internal/formats/png/apng'
import { assert, suite } from '#support/runner/suite'

const test = suite('animated PNGs')

function chunk(type: string, data: readonly number[] = []): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(data.length)
  head.write(type, 4)
  return Buffer.concat([head, Buffer.from(data), Buffer.alloc(4)])
}

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')
const CONTROL = chunk(
  'acTL',
  Array.from({ length: 8 }, () => 0),
)

test('one with more chunks than any animation is refused', () => {
  const read = (count: number) => {
    const png = Buffer.concat([SIGNATURE, CONTROL, Buffer.alloc(12 * count, chunk('fdAT'))])
    return readNow(readApng({ size: png.length }), png)
  }
  assert.equal(read(1000), { isAnimated: true, patches: [] })
  assert.throws(() => read(200_000), /more than 200000 chunks/)
})

test.run()
