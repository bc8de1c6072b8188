import { asciiBytes, latin1 } from '@lantern-room/base/bytes'
import { encodeBox, encodeFullBox, uint32s } from '@lantern-room/mp4/boxes'
import fc from 'fast-check'
import { readHeicPicture } from '#internal/formats/heic/readHeicPicture'
import { hex } from '#support/values/hex'
import { heicFile } from '../../../support/media/heicFile'
import { assert, suite } from '../../../support/runner/suite'
import { assertProperty } from '../../../support/values/assertProperty'
import { damagedCopies } from '../../../support/values/damagedCopies'

const test = suite('the picture of a HEIC')

const stream = (slice: string) => hex(`00000001 4001 000001 4201 000001 4401 00000001 26 ${slice}`)
const streams = ['01', '02', '03', '04', '05', '06'].map(stream)
const tile = { width: 512, height: 256 }
const grid = { columns: 3, rows: 2, width: 1500, height: 400 }
const file = heicFile({ streams, tile, grid })

test('a grid has its tiles row by row, each after its parameter sets', () => {
  const picture = readHeicPicture(file)
  assert.equal([picture?.columns, picture?.rows, picture?.tile], [3, 2, tile])
  assert.equal(picture?.size, { width: 1500, height: 400 })
  const units = latin1(picture?.stream ?? hex(''))
    .split('\0\0\0\x01')
    .slice(1)
  const slices = units.filter((_, i) => i % 4 === 3)
  assert.equal(slices, ['&\x01', '&\x02', '&\x03', '&\x04', '&\x05', '&\x06'])
  assert.equal([picture?.steps, picture?.colours, picture?.profile], [[], undefined, undefined])
})

test('one picture is a grid of one', () => {
  const picture = readHeicPicture(heicFile({ streams: streams.slice(0, 1), tile }))
  assert.equal([picture?.columns, picture?.rows, picture?.size], [1, 1, tile])
})

test('turns are read in their order, and colours and profile, from either kind of box', () => {
  const properties = [
    encodeBox('irot', hex('01')),
    encodeBox('imir', hex('00')),
    encodeBox('irot', hex('03')),
    encodeBox('imir', hex('01')),
    encodeBox('colr', asciiBytes('nclx'), hex('000c 000d 0006 80')),
    encodeBox('colr', asciiBytes('profICC bytes')),
  ]
  const picture = readHeicPicture(heicFile({ streams, tile, grid, properties }))
  assert.equal(picture?.steps, ['left', 'upside-down', 'right', 'mirror'])
  assert.equal(picture?.colours, { primaries: 12, transfer: 13, matrix: 6, isFullRange: true })
  assert.is(latin1(picture?.profile ?? hex('')), 'ICC bytes')
})

const clap = (...fractions: readonly number[]) => encodeBox('clap', uint32s(...fractions))

test('a crop counts from the middle, in what the steps before it have left, and keeps whole pixels', () => {
  const stepsOf = (...properties: readonly Uint8Array[]) =>
    readHeicPicture(heicFile({ streams, tile, grid, properties }))?.steps
  const middle = clap(300, 1, 200, 1, 0, 1, 0, 1)
  assert.equal(stepsOf(middle), [{ x: 600, y: 100, width: 300, height: 200 }])
  const turned = encodeBox('irot', hex('01'))
  assert.equal(stepsOf(turned, middle), ['left', { x: 50, y: 650, width: 300, height: 200 }])
  assert.equal(stepsOf(middle, turned), [{ x: 600, y: 100, width: 300, height: 200 }, 'left'])
  // 101.5 columns of which the middle lies 3.5 pixels to the left, -7 / 2, and rows down to the picture's lower edge.
  const fine = clap(203, 2, 99, 1, 0xfffffff9, 2, 301, 2)
  assert.equal(stepsOf(fine), [{ x: 695, y: 301, width: 101, height: 99 }])
  assert.equal(stepsOf(clap(9000, 1, 9000, 1, 0, 1, 0, 1)), [{ x: 0, y: 0, width: 1500, height: 400 }])
})

test('a crop that is cut, divides by nothing or leaves nothing shows no more than it does', () => {
  for (const broken of [
    clap(300, 1, 200, 1, 0, 1, 0),
    clap(300, 0, 200, 1, 0, 1, 0, 1),
    clap(300, 1, 200, 1, 0, 0, 0, 1),
    clap(300, 1, 200, 1, 5000, 1, 0, 1),
    clap(0, 1, 200, 1, 0, 1, 0, 1),
  ])
    assert.is(readHeicPicture(heicFile({ streams, tile, grid, properties: [broken] })), undefined)
})

test('what belongs to a picture is cropped and turned with it', () => {
  const auxiliary = { stream: stream('07'), kind: 'map' }
  const properties = [clap(256, 1, 128, 1, 64, 1, 0, 1), encodeBox('irot', hex('03'))]
  const file = heicFile({ streams: streams.slice(0, 1), tile, properties, auxiliary })
  assert.equal(readHeicPicture(file, 'map')?.steps, [{ x: 192, y: 64, width: 256, height: 128 }, 'right'])
})

test('what has too few tiles, tiles that do not cover it, or no HEVC is none', () => {
  assert.is(readHeicPicture(heicFile({ streams: streams.slice(1), tile, grid })), undefined)
  assert.is(readHeicPicture(heicFile({ streams, tile, grid: { ...grid, width: 2000 } })), undefined)
  assert.is(readHeicPicture(heicFile({ streams, tile, grid: { ...grid, width: 0 } })), undefined)
  const other = Buffer.from(file)
  other.write('av01', other.indexOf('hvc1'), 'latin1')
  assert.is(readHeicPicture(other), undefined)
  assert.is(readHeicPicture(encodeFullBox('meta', 0, uint32s(0))), undefined)
  for (const type of ['irot', 'imir'])
    assert.is(readHeicPicture(heicFile({ streams, tile, grid, properties: [encodeBox(type)] })), undefined)
})

test('no damage makes it throw, and none is read beyond the file', () => {
  for (let length = 0; length < file.length; length++) readHeicPicture(file.subarray(0, length))
  assertProperty(
    fc.property(damagedCopies(file, 4), (broken) => {
      const size = readHeicPicture(broken)?.stream.length ?? 0
      assert.ok(size <= 100 * file.length, String(size))
    }),
    { numRuns: 1000 },
  )
})

test.run()
