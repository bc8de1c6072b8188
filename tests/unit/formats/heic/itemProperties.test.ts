import { readItemProperties } from '#core/formats/heic/heicItems'
import { encodeBox, readBoxes } from '#core/formats/mp4/boxes'
import { assert, suite } from '../../../support/runner/suite'
import { hex } from '../hex'

const test = suite('properties of HEIF items')

const ipco = encodeBox('ipco', encodeBox('ispe'), encodeBox('irot'), encodeBox('imir'))

/** As `id type type`. */
function propertiesOf(...associations: readonly string[]): string[] {
  const lists = associations.map((digits) => encodeBox('ipma', hex(digits)))
  const found = readItemProperties(readBoxes(encodeBox('iprp', ipco, ...lists)) ?? [])
  return [...found].map(([id, boxes]) => [id, ...boxes.map(({ type }) => type)].join(' '))
}

test('indices of one byte count from 1, in the order of the list; their highest bit is none of them', () => {
  assert.equal(propertiesOf('00000000 00000002 0001 02 82 01 0007 01 03'), ['1 irot ispe', '7 imir'])
})

test('indices of two bytes, and ids of four', () => {
  assert.equal(propertiesOf('01000001 00000001 00012345 02 8003 0001'), ['74565 imir ispe'])
})

test('several lists are one, an index of nothing is left out, and a list that is cut ends', () => {
  assert.equal(propertiesOf('00000000 00000001 0001 01 01', '00000000 00000001 0002 02 00 09'), [
    '1 ispe',
    '2',
  ])
  assert.equal(propertiesOf('00000000 ffffffff 0001 01 01'), ['1 ispe'])
  assert.equal(propertiesOf('0000'), [])
})

test.run()
