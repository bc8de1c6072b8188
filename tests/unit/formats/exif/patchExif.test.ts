import { asciiBytes, concatBytes, latin1, viewOf } from '@lantern-room/base/bytes'
import fc from 'fast-check'
import { patchExif } from '#internal/formats/exif/patchExif'
import { readExif, readMakerNote } from '#internal/formats/exif/readExif'
import { openTiff } from '#internal/formats/exif/readTiff'
import { encodeTiff } from '#internal/formats/exif/tiff'
import { hex } from '#support/values/hex'
import { assert, suite } from '../../../support/runner/suite'
import { assertProperty } from '../../../support/values/assertProperty'
import { equalBytes } from '../../../support/values/equalBytes'

const test = suite('marks in EXIF')

const NO_MARKS = { isXiaomi: false, comment: undefined }

const patched = (tiff: Uint8Array | undefined, isXiaomi: boolean, comment?: string) =>
  patchExif(tiff, { isXiaomi, comment }) ?? new Uint8Array()

test('without EXIF a structure of the marks alone is written', () => {
  const expected = concatBytes([
    hex(`
      4949 2a00 08000000
      0100 6987 0400 01000000 1a000000 00000000
      0200
      9788 0100 01000000 01000000
      8692 0700 15000000 38000000
      00000000`),
    asciiBytes('ASCII\0\0\0oplus_8388608\0'),
  ])
  equalBytes(patched(undefined, true, 'oplus_8388608'), expected)
})

test('a directory that changes is written anew behind all else, in its byte order', () => {
  const orientation = '0112 0003 00000001 00060000'
  equalBytes(
    patched(hex(`4d4d 002a 00000008 0001 ${orientation} 0000abcd`), true),
    hex(`
      4d4d 002a 0000002c
      0001 ${orientation} 0000abcd
      0001 8897 0001 00000001 01000000 00000000
      0002 ${orientation} 8769 0004 00000001 0000001a 0000abcd`),
  )
})

test('a structure of an odd length is made even, and a comment lies before its directory', () => {
  const small = hex('4949 2a00 08000000 0100 1201 0300 01000000 06000000 00000000 ee')
  equalBytes(
    patched(small, false, 'abc'),
    concatBytes([
      hex('4949 2a00 3a000000 0100 1201 0300 01000000 06000000 00000000 ee00'),
      asciiBytes('ASCII\0\0\0abc\0'),
      hex('0100 8692 0700 0b000000 1c000000 00000000'),
      hex('0200 1201 0300 01000000 06000000 6987 0400 01000000 28000000 00000000'),
    ]),
  )
})

test("Xiaomi's mark leaves both directories when it is not wanted, and the comment stays", () => {
  const tiff = concatBytes([
    hex(`
      4949 2a00 08000000
      0200 6987 0400 01000000 26000000 9788 0100 01000000 01000000 00000000
      0300 0090 0700 04000000 30323332 9788 0100 01000000 01000000 8692 0700 0a000000 50000000 00000000`),
    asciiBytes('ASCII\0\0\0hi'),
  ])
  equalBytes(
    patched(tiff, false).subarray(tiff.length),
    hex(`
      0200 0090 0700 04000000 30323332 8692 0700 0a000000 50000000 00000000
      0100 6987 0400 01000000 5a000000 00000000`),
  )
})

test('a MakerNote is written before the directory that names it, and replaces another one', () => {
  const patch = (tiff: Uint8Array | undefined, note: string) =>
    patchExif(tiff, { isXiaomi: false, comment: undefined, makerNote: asciiBytes(note) }) ?? new Uint8Array()
  const empty = patch(undefined, 'Apple')
  equalBytes(empty.subarray(26, 40), hex('0100 7c92 0700 05000000 2c000000'))
  const again = patch(empty, 'Apples')
  equalBytes(again.subarray(empty.length, empty.length + 6), asciiBytes('Apples'))
  assert.equal([latin1(readMakerNote(again) ?? hex(''))], ['Apples'])
  const over = patch(again, 'Pears!')
  equalBytes(over.subarray(empty.length, empty.length + 6), asciiBytes('Pears!'))
})

const PICTURE = hex('ffd8 ffc0 000b 08 0030 0040 01 01 11 00 ffd9')

/** With a thumbnail of so many bytes, before the bytes that end it. */
const withThumbnail = (bytes: number, end: string) =>
  concatBytes([
    encodeTiff([
      [{ tag: 0x0112, short: 6 }],
      [
        { tag: 0x0100, short: 160 },
        { tag: 0x0101, short: 120 },
        { tag: 0x0103, short: 6 },
        { tag: 0x0112, short: 6 },
        { tag: 0x011a, rationals: [[72, 1]] },
        { tag: 0x0201, blob: new Uint8Array(bytes).fill(0xee) },
        { tag: 0x0202, long: bytes },
      ],
    ]),
    hex(end),
  ])

test('another thumbnail brings its size and is turned as the picture; what else its directory says stays', () => {
  const after = patchExif(withThumbnail(100, ''), { ...NO_MARKS, orientation: 1, thumbnail: PICTURE })
  const { directory, first } = openTiff(after ?? hex('')) ?? {}
  const small = directory?.(directory(first).next)
  assert.equal(
    [0x0100, 0x0101, 0x0103, 0x0112].map((tag) => small?.number(tag)),
    [64, 48, 6, 1],
  )
  assert.equal(small?.rationals(0x011a), [72])
  equalBytes(readExif(after ?? hex(''))?.thumbnail ?? hex(''), PICTURE)
})

test('a second directory without a picture stays where it is', () => {
  const tiff = encodeTiff([[{ tag: 0x0112, short: 6 }], [{ tag: 0x011a, rationals: [[72, 1]] }]])
  const after = patchExif(tiff, { ...NO_MARKS, orientation: 1, thumbnail: PICTURE }) ?? hex('')
  const nextOf = (bytes: Uint8Array) => {
    const { directory, first } = openTiff(bytes) ?? {}
    return directory?.(first).next
  }
  assert.ok(nextOf(tiff))
  assert.is(nextOf(after), nextOf(tiff))
  assert.is(readExif(after)?.thumbnail, undefined)
})

test('the place of a thumbnail that goes is used only if it is asked for, and what lies behind it stays', () => {
  const tiff = withThumbnail(400, 'abcdef01')
  const patch = (usesGap: boolean) =>
    patchExif(tiff, { isXiaomi: true, comment: 'my words', orientation: 1, thumbnail: PICTURE, usesGap }) ??
    hex('')
  for (const usesGap of [true, false]) {
    const after = patch(usesGap)
    equalBytes(after.subarray(tiff.length - 4, tiff.length), hex('abcdef01'))
    const { thumbnail, userComment, xiaomiMark } = readExif(after) ?? {}
    assert.equal([thumbnail, userComment, xiaomiMark], [PICTURE, 'my words', 'ExifIFD'])
    assert.not.ok(latin1(after).includes('\xee'), 'nothing of the old one is left')
  }
  assert.is(patch(true).length, tiff.length)
  assert.ok(patch(false).length > tiff.length)
})

test('what is no TIFF structure, or has an empty first directory, is not patched', () => {
  for (const bytes of [
    '',
    '4949 2a00',
    'ffd8 ffe0 00000000 0000',
    '4949 2a00 00000000 0000',
    '4949 2a00 08000000 0000 00000000',
    '4949 2a00 ffffffff 0000',
  ])
    assert.is(patchExif(hex(bytes), { isXiaomi: true, comment: 'x' }), undefined, bytes)
})

type Entry = { readonly tag: number; readonly rest: Uint8Array }
type Sample = {
  readonly isLittle: boolean
  readonly primary: readonly Entry[]
  readonly photo: readonly Entry[]
  readonly next: number
  readonly tail: Uint8Array
}

/** A structure with opaque entries: of IFD0, with a pointer to the ExifIFD behind it, and bytes of values. */
function tiffOf({ isLittle, primary, photo, next, tail }: Sample): Uint8Array {
  const photoAt = 8 + 2 + (primary.length + 1) * 12 + 4
  const pointer = new Uint8Array(10)
  viewOf(pointer).setUint16(0, 4, isLittle)
  viewOf(pointer).setUint32(2, 1, isLittle)
  viewOf(pointer).setUint32(6, photoAt, isLittle)
  return concatBytes([
    hex(isLittle ? '4949 2a00 08000000' : '4d4d 002a 00000008'),
    directory([...primary, { tag: 0x8769, rest: pointer }], next, isLittle),
    directory(photo, 0, isLittle),
    tail,
  ])
}

function directory(entries: readonly Entry[], next: number, isLittle: boolean): Uint8Array {
  const bytes = new Uint8Array(2 + entries.length * 12 + 4)
  const view = viewOf(bytes)
  view.setUint16(0, entries.length, isLittle)
  entries.forEach(({ tag, rest }, i) => {
    view.setUint16(2 + i * 12, tag, isLittle)
    bytes.set(rest, 4 + i * 12)
  })
  view.setUint32(bytes.length - 4, next, isLittle)
  return bytes
}

/** A second reader, of twelve bytes each: it takes nothing from the one under test. */
function entriesAt(tiff: Uint8Array, at: number, isLittle: boolean): { rows: Entry[]; next: number } {
  const view = viewOf(tiff)
  const count = view.getUint16(at, isLittle)
  const rows = Array.from({ length: count }, (_, i) => {
    const entry = at + 2 + i * 12
    return { tag: view.getUint16(entry, isLittle), rest: tiff.slice(entry + 2, entry + 12) }
  })
  return { rows, next: view.getUint32(at + 2 + count * 12, isLittle) }
}

test('every other tag, value and offset stays as it was, and tags ascend', () => {
  const XIAOMI = 0x8897
  const COMMENT = 0x9286
  const tags = fc.oneof(
    fc.integer({ min: 1, max: 0xffff }).filter((tag) => tag !== 0x8769),
    fc.constantFrom(XIAOMI, COMMENT),
  )
  const entry = fc
    .tuple(tags, fc.uint8Array({ minLength: 10, maxLength: 10 }))
    .map(([tag, rest]): Entry => ({ tag, rest }))
  const entries = fc.uniqueArray(entry, { selector: ({ tag }) => tag, maxLength: 8 })
  const sample = fc.record({
    isLittle: fc.boolean(),
    primary: entries,
    photo: entries,
    next: fc.nat({ max: 0xffffffff }),
    tail: fc.uint8Array({ maxLength: 9 }),
  })
  const comments = fc.option(fc.constantFrom('oplus_8388608', '', 'a'), { nil: undefined })
  const ascending = (rows: readonly Entry[]) => [...rows].sort((a, b) => a.tag - b.tag)
  assertProperty(
    fc.property(sample, fc.boolean(), comments, (before, isXiaomi, comment) => {
      const { isLittle, photo, primary, next } = before
      const tiff = tiffOf(before)
      const after = patched(tiff, isXiaomi, comment)
      equalBytes(after.subarray(0, 4), tiff.subarray(0, 4))
      equalBytes(after.subarray(8, tiff.length), tiff.subarray(8), 'values')

      const first = viewOf(after).getUint32(4, isLittle)
      const ifd0 = entriesAt(after, first, isLittle)
      const pointer = ifd0.rows.find(({ tag }) => tag === 0x8769)?.rest ?? new Uint8Array(10)
      const photoAt = viewOf(pointer).getUint32(6, isLittle)
      assert.equal([first % 2, photoAt % 2], [0, 0])
      assert.ok(photoAt >= tiff.length && first >= tiff.length)
      const keptPrimary = primary.filter(({ tag }) => tag !== XIAOMI)
      assert.equal(ifd0, { rows: ascending([...keptPrimary, { tag: 0x8769, rest: pointer }]), next })

      const { rows } = entriesAt(after, photoAt, isLittle)
      const isNew = ({ tag }: Entry) => tag === XIAOMI || (tag === COMMENT && comment !== undefined)
      const others = rows.filter((row) => !isNew(row))
      assert.equal(others, ascending(photo.filter((row) => !isNew(row))))
      assert.equal(rows, ascending(rows))
      assert.is(rows.filter(({ tag }) => tag === XIAOMI).length, isXiaomi ? 1 : 0)
      const written = rows.find((row) => isNew(row) && row.tag === COMMENT)
      assert.is(written === undefined, comment === undefined)
      if (written) {
        const [length, at] = [2, 6].map((place) => viewOf(written.rest).getUint32(place, isLittle))
        assert.is(latin1(after, at, (at ?? 0) + (length ?? 0)), `ASCII\0\0\0${comment}`)
      }
    }),
    { numRuns: 300 },
  )
})

test('no bytes make it throw, and what comes out can be patched again', () => {
  assertProperty(
    fc.property(
      fc.constantFrom(hex('49492a00 08000000'), hex('4d4d002a 00000008')),
      fc.uint8Array({ maxLength: 80 }),
      (head, rest) => {
        const once = patchExif(concatBytes([head, rest]), { isXiaomi: true, comment: 'a' })
        assert.is(once === undefined, rest.length < 14 || (rest[0] === 0 && rest[1] === 0))
        if (once) assert.ok(patchExif(once, { isXiaomi: true, comment: 'a' }))
      },
    ),
    { numRuns: 500 },
  )
})

test.run()
