import { asciiBytes, concatBytes } from '@lantern-room/base/bytes'
import { encodeBox, encodeFullBox, readBoxes } from '@lantern-room/mp4/boxes'
import { readNow, sizeOfParts } from '@lantern-room/mp4/source'
import { planRepair } from '#internal/formats/existingPhoto/repair'
import { addXmpItem } from '#internal/formats/heic/addXmpItem'
import { readHeic, readMeta } from '#internal/formats/heic/heic'
import { readHeicItems } from '#internal/formats/heic/heicItems'
import { encodeNumber } from '#internal/formats/heic/replaceItems'
import { assembleHeic } from '#internal/formats/newPhoto/assembleHeic'
import { assert, suite } from '../../../support/runner/suite'
import { equalBytes } from '../../../support/values/equalBytes'
import { isFormatError } from '../../../support/values/failures'
import { heicOf, sampleTiff } from '../motionPhoto/sampleHeic'
import { clip, description } from '../motionPhoto/samplePhones'

const test = suite('a HEIC that is kept')

const momentUs = 33_333
const keep = (cover: Uint8Array, profile: 'universal' | 'google' = 'universal') =>
  assembleHeic({ cover, clip, profile, presentationTimestampUs: momentUs })

/** `iloc`: its version, and the bytes of offsets, lengths, bases and indices. */
type Form = { iloc: readonly [version: number, offset: number, length: number, base: number, index: number] }
type Layout = Form & { readonly order?: 'media first'; readonly idat?: true; readonly iref?: 0 | 1 }

const two = (value: number) => encodeNumber(value, 2)
const exif = concatBytes([encodeNumber(6, 4), asciiBytes('Exif\0\0'), sampleTiff])
const tiles = ['the first tile', 'and another'].map(asciiBytes)

/** Two tiles in `mdat`, the second in two pieces, EXIF there or in `idat`, and the grid, which is in no item. */
function photo({ iloc: [version, offset, length, base, index], order, idat, iref }: Layout): Uint8Array {
  const fileType = encodeBox('ftyp', asciiBytes('heic'), new Uint8Array(4), asciiBytes('mif1heic'))
  const mdat = encodeBox('mdat', ...tiles, ...(idat ? [] : [exif]))
  const idSize = version < 2 ? 2 : 4
  const number = (value: number, size: number) => encodeNumber(value, size)
  const row = (id: number, method: number, from: number, pieces: readonly (readonly [number, number])[]) => [
    ...[number(id, idSize), ...(version > 0 ? [two(method)] : []), two(0), number(offset ? 0 : from, base)],
    two(pieces.length),
    ...pieces.flatMap(([at, size]) => [
      ...[number(0, index), number(offset ? from + at : 0, offset), number(size, length)],
    ]),
  ]
  const meta = (mediaAt: number) => {
    const [first = 0, second = 0] = tiles.map((tile) => tile.length)
    const halves = offset
      ? ([
          [0, 5],
          [5, second - 5],
        ] as const)
      : ([[0, second]] as const)
    const exifRow = idat
      ? row(3, 1, 0, [[0, exif.length]])
      : row(3, 0, mediaAt + first + second, [[0, exif.length]])
    const rows = [...row(1, 0, mediaAt, [[0, first]]), ...row(2, 0, mediaAt + first, halves), ...exifRow]
    const sizes = two((offset << 12) | (length << 8) | (base << 4) | index)
    const entry = (id: number, type: string) =>
      encodeFullBox('infe', 0x2000000, two(id), two(0), asciiBytes(`${type}\0`))
    const reference = encodeBox(
      'cdsc',
      ...[3, 1, 1].map((value, i) => number(value, iref && i !== 1 ? 4 : 2)),
    )
    return encodeFullBox(
      'meta',
      0,
      encodeFullBox('pitm', 0, two(1)),
      encodeFullBox('iinf', 0, two(3), entry(1, 'hvc1'), entry(2, 'hvc1'), entry(3, 'Exif')),
      ...(iref === undefined ? [] : [encodeFullBox('iref', iref * 0x1000000, reference)]),
      encodeFullBox('iloc', version * 0x1000000, sizes, number(3, idSize), ...rows),
      ...(idat ? [encodeBox('idat', exif)] : []),
    )
  }
  if (order) return concatBytes([fileType, mdat, meta(fileType.length + 8)])
  return concatBytes([fileType, meta(fileType.length + meta(0).length + 8), mdat])
}

function itemsOf(file: Uint8Array): string[] {
  const { children = [], childrenAt = 0 } = readNow(readMeta({ size: file.length }), file) ?? {}
  return readHeicItems(children, childrenAt).map(
    ({ type, start, length }) =>
      `${type}: ${Buffer.from(file.subarray(start, start + length)).toString('latin1')}`,
  )
}

const layouts: Record<string, Layout> = {
  'iloc 0, the grid without references': { iloc: [0, 4, 4, 0, 0] },
  'iloc 1, references of two bytes': { iloc: [1, 4, 4, 0, 0], iref: 0 },
  'iloc 1 with bases and 64 bits, references of four': { iloc: [1, 8, 8, 8, 4], iref: 1 },
  'iloc 1 with bases alone': { iloc: [1, 0, 4, 4, 0] },
  'iloc 2': { iloc: [2, 4, 4, 4, 0], iref: 0 },
  'EXIF in idat': { iloc: [1, 4, 4, 0, 0], idat: true, iref: 0 },
  'the index behind the pictures': { iloc: [1, 4, 4, 0, 0], order: 'media first' },
}
for (const [name, layout] of Object.entries(layouts)) {
  test(`${name}: no item changes, and galleries read the rest`, () => {
    const file = photo(layout)
    const made = keep(file, 'google')
    assert.equal(itemsOf(made).slice(0, 3), itemsOf(file))
    const types = (readBoxes(made) ?? []).map(({ type }) => type)
    assert.equal(types, [...(readBoxes(file) ?? []).map(({ type }) => type), 'mdat', 'mpvd'])
    const { parts, before } = readNow(planRepair({ size: made.length }, 'google'), made)
    assert.is(before.photo.xmp?.presentationTimestampUs, momentUs)
    assert.is(before.galleries.find(({ gallery }) => gallery === 'google')?.recognised, 'yes')
    assert.is(sizeOfParts(parts), made.length, 'nothing is left to mend')
    const { offset = 0, length = 0 } = before.photo.clip ?? {}
    equalBytes(made.subarray(offset, offset + length), clip)
  })
}

test('all families that read a HEIC find their marks', () => {
  const made = keep(photo({ iloc: [1, 4, 4, 0, 0] }))
  const { galleries } = readNow(planRepair({ size: made.length }, 'universal'), made).before
  const found = galleries.flatMap(({ gallery, recognised }) => (recognised === 'yes' ? [gallery] : []))
  assert.is(found.join(' '), 'google samsung xiaomi oppo vivo android')
})

test('XMP that is there stays, with what it says', () => {
  for (const itemsIn of ['file', 'idat'] as const) {
    const whole = heicOf({ xmp: description('GCamera:Other="7"'), movie: clip, itemsIn })
    const made = keep(whole.subarray(0, whole.length - clip.length - 8))
    assert.is(Buffer.from(made).toString('latin1').split('GCamera:Other="7"').length, 2)
  }
})

test('XMP that describes another picture, such as a gain map, stays its own', () => {
  const described = addXmpItem(photo({ iloc: [1, 4, 4, 0, 0], iref: 0 })) ?? new Uint8Array()
  assert.is(readNow(readHeic({ size: described.length }), described)?.xmpItem?.id, 4)
  // A reference from item 4 to one item: the first tile, the other one.
  const [toMain = new Uint8Array(), toOther = new Uint8Array()] = [1, 2].map((id) =>
    concatBytes([asciiBytes('cdsc'), two(4), two(1), two(id)]),
  )
  const file = Uint8Array.from(described)
  file.set(toOther, Buffer.from(described).indexOf(toMain))
  assert.is(readNow(readHeic({ size: file.length }), file)?.xmpItem, undefined)
  const made = keep(file, 'google')
  assert.is(itemsOf(made).filter((item) => item.startsWith('mime')).length, 2)
  assert.equal(itemsOf(made)[3], 'mime application/rdf+xml: ')
  assert.is(readNow(readHeic({ size: made.length }), made)?.xmpItem?.id, 5)
})

test('what is damaged or has no room is refused', () => {
  const file = photo({ iloc: [1, 4, 4, 0, 0] })
  const at = (type: string) => Buffer.from(file).indexOf(type)
  const changed = (place: number, ...bytes: number[]) => {
    const copy = file.slice()
    copy.set(bytes, place)
    return copy
  }
  const sequence = concatBytes([file, encodeBox('moov')])
  const broken: Record<string, Uint8Array> = {
    'no index': file.subarray(0, at('meta') - 4),
    'a table that is cut': changed(at('iloc') + 10, 0x7f, 0xff),
    'an item in the index': changed(at('iloc') + 22, ...encodeNumber(at('iinf'), 4)),
    'offsets of two bytes that have no room': photo({ iloc: [1, 1, 4, 0, 0] }),
    'no main picture': changed(at('pitm'), 0x78),
    'an entry that is longer than its table': changed(at('infe') - 4, 0x7f),
    'a sequence': sequence,
  }
  for (const [name, bytes] of Object.entries(broken))
    assert.throws(() => keep(bytes), isFormatError('irreparable', /cannot be kept as a HEIC/), name)
})

test('a table of thousands of millions of extents without a byte is read, and one of millions with a byte refused, at once', () => {
  const rows = concatBytes(Array.from({ length: 50_000 }, () => concatBytes([two(1), two(0), two(0xffff)])))
  const tableOf = (sizes: number, count: number, of: Uint8Array) =>
    encodeFullBox('iloc', 0, two(sizes), two(count), of)
  const entry = encodeFullBox('infe', 0x02000000, two(1), two(0), asciiBytes('hvc1\0'))
  const index = [encodeFullBox('pitm', 0, two(1)), encodeFullBox('iinf', 0, two(1), entry)]
  const fileWith = (table: Uint8Array) =>
    concatBytes([encodeBox('ftyp', asciiBytes('heic'), two(0)), encodeFullBox('meta', 0, ...index, table)])
  assert.ok(addXmpItem(fileWith(tableOf(0, 50_000, rows))))
  const full = concatBytes([two(1), two(0), two(0xffff), new Uint8Array(0xffff)])
  const millions = fileWith(tableOf(0x1000, 60, concatBytes(Array(60).fill(full))))
  assert.is(addXmpItem(millions), undefined)
  assert.equal(itemsOf(millions), [])
})

test.run()
