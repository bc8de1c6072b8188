import { asciiBytes, concatBytes } from '@lantern-room/base/bytes'
import { encodeBox, onlyBox, readBoxes, readBoxHeader } from '#internal/mp4/movie/boxes'
import { hex } from '#support/values/hex'
import { assert, suite } from '../../../support/runner/suite'

const test = suite('MP4 boxes')

const free = hex('00000008 66726565')
const data = hex('0000000c 6d646174 01020304')
const longData = hex('00000001 6d646174 0000000000000014 01020304')

test('a box is a 32-bit size, a type and a body', () => {
  assert.equal(readBoxHeader(data, 0), { type: 'mdat', headerSize: 8, size: 12 })
  assert.equal(readBoxes(data)?.[0]?.body, hex('01020304'))
})

test('a size of 1 is followed by a 64-bit size', () => {
  assert.equal(readBoxHeader(longData, 0), { type: 'mdat', headerSize: 16, size: 20 })
  assert.equal(readBoxes(longData)?.[0]?.body, hex('01020304'))
})

test('a size of 0 reaches to the end', () => {
  const bytes = concatBytes([free, hex('00000000 6d646174 0102030405')])
  assert.equal(readBoxHeader(bytes, 8), { type: 'mdat', headerSize: 8, size: 13 })
  const places = readBoxes(bytes)?.map(({ type, start, size }) => `${type} ${start}+${size}`)
  assert.equal(places, ['free 0+8', 'mdat 8+13'])
})

test('a header tells of a box that is not all there', () => {
  assert.equal(readBoxHeader(hex('0000ffff 6d6f6f76'), 0), { type: 'moov', headerSize: 8, size: 0xffff })
})

for (const size of ['00000002', '00000007']) {
  test(`a size of ${Number(`0x${size}`)} is smaller than the header and refused`, () => {
    assert.is(readBoxHeader(concatBytes([hex(size), hex('66726565 00000000')]), 0), undefined)
  })
}

for (const size of ['0000000000000000', '000000000000000f', '0020000000000000', 'ffffffffffffffff']) {
  test(`a 64-bit size of 0x${size} is refused`, () => {
    assert.is(readBoxHeader(concatBytes([hex('00000001 6d646174'), hex(size)]), 0), undefined)
  })
}

test('a box that ends after the bytes is refused', () => {
  assert.is(readBoxes(hex('0000000d 6d646174 01020304')), undefined)
  assert.is(readBoxes(hex('00000001 6d646174 0000000000000015 01020304')), undefined)
})

test('bytes that are left over are refused', () => {
  assert.is(readBoxes(concatBytes([free, hex('000000')])), undefined)
  assert.is(readBoxes(concatBytes([free, hex('00000000')])), undefined)
})

test('boxes are read only where none is cut, at every length', () => {
  const bytes = concatBytes([free, data, longData])
  const whole = [0, 8, 20, 40]
  for (let length = 0; length <= bytes.length; length++) {
    const boxes = readBoxes(bytes.subarray(0, length))
    assert.is(boxes?.length, whole.includes(length) ? whole.indexOf(length) : undefined, `${length} bytes`)
  }
})

test('a file of nothing but tiny boxes is refused, not collected', () => {
  const bytes = new Uint8Array(8 * 70_000)
  for (let at = 0; at < bytes.length; at += 8) bytes.set(free, at)
  assert.is(readBoxes(bytes), undefined)
})

test('the only box is the only one', () => {
  const boxes = readBoxes(concatBytes([free, data, free])) ?? []
  assert.is(onlyBox(boxes, 'mdat')?.start, 8)
  assert.is(onlyBox(boxes, 'free'), undefined)
  assert.is(onlyBox(boxes, 'moov'), undefined)
})

test('a box is written as it is read', () => {
  assert.equal(encodeBox('mdat', hex('0102'), hex('0304')), data)
  assert.equal(encodeBox('free'), free)
  assert.equal(readBoxes(encodeBox('moov', encodeBox('mvhd', asciiBytes('x'))))?.[0]?.body.length, 9)
})

test.run()
