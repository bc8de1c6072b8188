import { asciiBytes, concatBytes } from '@lantern-room/base/bytes'
import { encodeBox, readBoxes } from '@lantern-room/mp4/boxes'
import fc from 'fast-check'
import { readHeicItems, readItemProperties } from '#internal/formats/heic/heicItems'
import { hex } from '#support/values/hex'
import { assert, suite } from '../../../support/runner/suite'
import { assertProperty } from '../../../support/values/assertProperty'

const test = suite('HEIF items')

/** As `type start+length`, of a `meta` whose children begin at 1000. */
function itemsOf(...boxes: readonly Uint8Array[]): string[] {
  const children = readBoxes(concatBytes(boxes))
  if (!children) throw new Error('no boxes')
  return readHeicItems(children, 1000).map(({ type, start, length }) => `${type} ${start}+${length}`)
}

const box = (type: string, digits: string) => encodeBox(type, hex(digits))
const iloc = (digits: string) => box('iloc', digits)
const infe = (head: string, rest: string) => encodeBox('infe', hex(head), asciiBytes(rest))
const exif = infe('02000001 0001 0000', 'Exif\0')
const xmp = infe('02000000 0002 0000', 'mime\0application/rdf+xml\0\0')
const iinf = encodeBox('iinf', hex('00000000 0002'), exif, xmp)

test('version 0: offsets and lengths of four bytes, no base', () => {
  const places = iloc(`00000000 4400 0002
    0001 0000 0001 00000100 00000020
    0002 0000 0001 00000200 00000030`)
  assert.equal(itemsOf(iinf, places), ['Exif 256+32', 'mime application/rdf+xml 512+48'])
  assert.equal(itemsOf(places, iinf), itemsOf(iinf, places), 'in any order')
})

test('version 1: a base of eight bytes, an index of each extent, and the first extent counts', () => {
  assert.equal(
    itemsOf(
      iinf,
      iloc(`01000000 4484 0002
        0001 0000 0000 0000000100000000 0002 00000000 00000010 00000007 00000000 00000099 00000009
        0002 0000 0000 0000000000000005 0001 00000000 00000001 00000003`),
    ),
    ['Exif 4294967312+7', 'mime application/rdf+xml 6+3'],
  )
})

test('version 2: ids and counts of 32 bits, as infe of version 3 has them', () => {
  assert.equal(
    itemsOf(
      encodeBox('iinf', hex('01000000 00000001'), infe('03000000 00012345 0000', 'hvc1\0')),
      iloc('02000000 4400 00000001 00012345 0000 0000 0001 00000100 00000020'),
    ),
    ['hvc1 256+32'],
  )
})

test('version 0 has no index of extents, whatever its bits say', () => {
  assert.equal(itemsOf(iinf, iloc('00000000 4404 0001 0001 0000 0001 00000100 00000020')), ['Exif 256+32'])
})

test('an item of construction method 1 lies in idat', () => {
  const places = iloc('01000000 4400 0001 0001 0001 0000 0001 00000002 00000003')
  const idat = box('idat', '0102030405')
  const at = 1000 + iinf.length + places.length + 8
  assert.equal(itemsOf(iinf, places, idat), [`Exif ${at + 2}+3`])
  assert.equal(itemsOf(iinf, places), [], 'without idat')
  assert.equal(itemsOf(iinf, places, idat, idat), [], 'two of them')
})

test('an item of construction method 2 lies in another item, not in the file', () => {
  const places = (method: string) =>
    iloc(`01000000 4400 0002
      0001 ${method} 0000 0001 00000002 00000003
      0002 0000 0000 0001 00000200 00000030`)
  for (const method of ['0002', '0003', '000f'])
    assert.equal(itemsOf(iinf, places(method)), ['mime application/rdf+xml 512+48'], method)
  assert.equal(itemsOf(iinf, places('fff0')).length, 2, 'only the lowest four bits are the method')
})

test('an item needs a type and a place', () => {
  const places = iloc('00000000 4400 0001 0007 0000 0001 00000100 00000020')
  assert.equal(itemsOf(iinf, places), [])
  assert.equal(itemsOf(iinf), [])
  assert.equal(itemsOf(places), [])
  assert.equal(itemsOf(iinf, places, places), [], 'two tables of places')
})

test('an entry of another version, another box and one that is cut are left out', () => {
  const list = encodeBox(
    'iinf',
    hex('00000000 0005'),
    infe('01000000 0001 0000', 'Exif\0\0\0\0'),
    infe('04000000 0001 0000', 'Exif\0\0\0\0'),
    encodeBox('free', hex('02000000 0001 0000'), asciiBytes('Exif')),
    infe('02000000 0001 0000', 'Exi'),
    infe('02000000 0002 0000', 'mime'),
  )
  const places = iloc(`00000000 4400 0002
    0001 0000 0001 00000100 00000020
    0002 0000 0001 00000200 00000030`)
  assert.equal(itemsOf(list, places), ['mime  512+48'])
})

test('every truncation of the places has the items whose rows are whole', () => {
  const whole = hex(`00000000 4400 0002
    0001 0000 0001 00000100 00000020
    0002 0000 0001 00000200 00000030`)
  for (let length = 0; length < whole.length; length++) {
    const items = itemsOf(iinf, encodeBox('iloc', whole.subarray(0, length)))
    assert.equal(items, length < 22 ? [] : ['Exif 256+32'], `${length} bytes`)
  }
})

test('a list of types that is cut inside an entry has no types', () => {
  const places = iloc('00000000 4400 0001 0001 0000 0001 00000100 00000020')
  const body = iinf.subarray(8)
  for (let length = 0; length < body.length; length++)
    assert.equal(
      itemsOf(encodeBox('iinf', body.subarray(0, length)), places),
      length === 6 + exif.length ? ['Exif 256+32'] : [],
      `${length} bytes`,
    )
})

test('extents without any bytes are not counted one by one', () => {
  // 4096 items of 65,535 extents each, in 24 KiB: one by one, ten such files take more than a minute.
  const rows = Array.from({ length: 4095 }, () => hex('0003 0000 ffff'))
  const places = encodeBox('iloc', hex('00000000 0000 1000'), ...rows, hex('0001 0000 ffff'))
  for (let i = 0; i < 10; i++) assert.equal(itemsOf(iinf, places), ['Exif 0+0'])
})

test('no more than 4096 items are read', () => {
  const row = (id: number) => Uint8Array.of(id >> 8, id & 255, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 5)
  const rows = Array.from({ length: 5000 }, (_, i) => row(i + 10))
  const list = (last: number) =>
    encodeBox(
      'iinf',
      hex('00000000 0001'),
      encodeBox('infe', hex('02000000'), Uint8Array.of(last >> 8, last & 255, 0, 0), asciiBytes('Exif\0')),
    )
  const places = encodeBox('iloc', hex('00000000 4400 1388'), ...rows)
  assert.equal(itemsOf(list(10 + 4095), places), ['Exif 256+5'])
  assert.equal(itemsOf(list(10 + 4096), places), [])
})

test('no bytes make it throw, and every place is a number', () => {
  const body = (version: number) =>
    fc
      .tuple(
        fc.constantFrom(hex('4400'), hex('8888'), hex('0000'), hex('4484'), hex('ffff')),
        fc.uint8Array({ maxLength: 60 }),
      )
      .map(([sizes, rest]) => concatBytes([Uint8Array.of(version, 0, 0, 0), sizes, rest]))
  const bytes = fc.oneof(body(0), body(1), body(2), fc.uint8Array({ maxLength: 60 }))
  assertProperty(
    fc.property(bytes, fc.uint8Array({ maxLength: 30 }), (places, list) => {
      const files = [
        [iinf, encodeBox('iloc', places)],
        [encodeBox('iinf', list), encodeBox('iloc', places)],
      ]
      for (const boxes of files) {
        for (const { start, length } of readHeicItems(readBoxes(concatBytes(boxes)) ?? [], 0))
          assert.ok(start >= 0 && length >= 0, `${start} + ${length}`)
      }
    }),
    { numRuns: 1000 },
  )
})

const ipco = encodeBox('ipco', encodeBox('ispe'), encodeBox('irot'), encodeBox('imir'))

/** As `id type type`. */
function propertiesOf(...associations: readonly string[]): string[] {
  const lists = associations.map((digits) => encodeBox('ipma', hex(digits)))
  const found = readItemProperties(readBoxes(encodeBox('iprp', ipco, ...lists)) ?? [])
  return [...found].map(([id, boxes]) => [id, ...boxes.map(({ type }) => type)].join(' '))
}

test('properties: indices of one byte count from 1, in the order of the list; their highest bit is none of them', () => {
  assert.equal(propertiesOf('00000000 00000002 0001 02 82 01 0007 01 03'), ['1 irot ispe', '7 imir'])
})

test('properties: indices of two bytes, and ids of four', () => {
  assert.equal(propertiesOf('01000001 00000001 00012345 02 8003 0001'), ['74565 imir ispe'])
})

test('properties: several lists are one, an index of nothing is left out, and a list that is cut ends', () => {
  assert.equal(propertiesOf('00000000 00000001 0001 01 01', '00000000 00000001 0002 02 00 09'), [
    '1 ispe',
    '2',
  ])
  assert.equal(propertiesOf('00000000 ffffffff 0001 01 01'), ['1 ispe'])
  assert.equal(propertiesOf('0000'), [])
})

test.run()
