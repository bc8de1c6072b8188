import { asciiBytes, concatBytes, viewOf } from '@lantern-room/base/bytes'
import { readNow } from '@lantern-room/mp4/source'
import fc from 'fast-check'
import { readZip } from '#internal/formats/livePhoto/readZip'
import { hex } from '#support/values/hex'
import { assert, suite } from '../../../support/runner/suite'
import { assertProperty } from '../../../support/values/assertProperty'
import { damagedCopies } from '../../../support/values/damagedCopies'

const test = suite('ZIP reader')

const read = (zip: Uint8Array) => readNow(readZip({ size: zip.length }), zip)

type File = {
  readonly name: string
  readonly bytes: Uint8Array
  readonly method?: number
  /** Of the local header and of the directory, which may differ: each pads and stamps as it likes. */
  readonly localExtra?: number
  readonly extra?: number
  readonly comment?: number
}

const ALONE = { prefix: 0, comment: asciiBytes('') }

/** A ZIP by APPNOTE.TXT 4.3.7, 4.3.12 and 4.3.16, as a writer does that does not know sizes in advance. */
function zipOf(files: readonly File[], { prefix, comment } = ALONE) {
  const locals: Uint8Array[] = [new Uint8Array(prefix)]
  const directory: Uint8Array[] = []
  let at = prefix
  for (const { name, bytes, method = 0, localExtra = 0, extra = 0, comment: note = 0 } of files) {
    const nameBytes = new TextEncoder().encode(name)
    const local = new Uint8Array(30)
    local.set(hex('504b0304 1400 0808'))
    viewOf(local).setUint16(26, nameBytes.length, true)
    viewOf(local).setUint16(28, localExtra, true)
    const header = new Uint8Array(46)
    const view = viewOf(header)
    header.set(hex('504b0102 1403 1400 0808'))
    view.setUint16(10, method, true)
    view.setUint32(20, bytes.length, true)
    view.setUint32(24, bytes.length, true)
    view.setUint16(28, nameBytes.length, true)
    view.setUint16(30, extra, true)
    view.setUint16(32, note, true)
    view.setUint32(42, at, true)
    const whole = concatBytes([local, nameBytes, new Uint8Array(localExtra), bytes])
    locals.push(whole)
    at += whole.length
    directory.push(header, nameBytes, new Uint8Array(extra), new Uint8Array(note))
  }
  const directoryBytes = concatBytes(directory)
  return concatBytes([...locals, directoryBytes, endOf(files.length, directoryBytes.length, at, comment)])
}

function endOf(count: number, size: number, start: number, comment = asciiBytes('')) {
  const end = new Uint8Array(22)
  const view = viewOf(end)
  end.set(asciiBytes('PK\x05\x06'))
  view.setUint16(8, count, true)
  view.setUint16(10, count, true)
  view.setUint32(12, size, true)
  view.setUint32(16, start, true)
  view.setUint16(20, comment.length, true)
  return concatBytes([end, comment])
}

/** One file `a` with the bytes of 123456789: local header, bytes, directory (at 0x28), end. */
const local = '504b0304 1400 0008 0000 0439 a658 2639f4cb 09000000 09000000 0100 0000 61 313233343536373839'
const record = (from: string, to: string, sizes = '09000000 09000000') =>
  `504b0102 1403 1400 0008 0000 0439 a658 2639f4cb ${sizes} 0100 0000 0000 0000 0000 0000a481 00000000 61`.replace(
    from,
    to,
  )
const end = '504b0506 0000 0000 0100 0100 2f000000 28000000 0000'
const small = hex(local + record('', '') + end)

test('one file', () => {
  const files = read(small)?.map(({ name, method, start, size, unpackedSize, crc }) => [
    ...[name, method, start, size, unpackedSize, crc],
  ])
  assert.equal(files, [['a', 0, 31, 9, 9, 0xcbf43926]])
})

test('an empty ZIP has no files', () => {
  assert.equal(read(endOf(0, 0, 0)), [])
})

test('files are found whatever lies around them', () => {
  const file = fc.record({
    name: fc.string({ maxLength: 12, unit: fc.constantFrom('a', '/', 'ö', '图', '.') }),
    bytes: fc.uint8Array({ maxLength: 20 }),
    method: fc.constantFrom(0, 8),
    localExtra: fc.nat({ max: 9 }),
    extra: fc.nat({ max: 9 }),
    comment: fc.nat({ max: 9 }),
  })
  const around = fc.record({
    prefix: fc.nat({ max: 50 }),
    comment: fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc.constantFrom(
        asciiBytes('PK\x05\x06'),
        asciiBytes(`PK\x05\x06${'?'.repeat(40)}`),
        concatBytes([endOf(0, 0, 0), asciiBytes('.')]),
        new Uint8Array(0xffff),
      ),
    ),
  })
  assertProperty(
    fc.property(fc.array(file, { maxLength: 4 }), around, (files, place) => {
      const zip = zipOf(files, place)
      const entries = read(zip)
      assert.equal(
        entries?.map(({ name, method }) => [name, method]),
        files.map(({ name, method }) => [name, method]),
      )
      entries?.forEach(({ start, size }, i) => {
        assert.equal(zip.slice(start, start + size), files[i]?.bytes)
      })
    }),
    { numRuns: 300 },
  )
})

const damaged: Record<string, Uint8Array> = {
  nothing: new Uint8Array(),
  'no end record': hex(local + record('', '')),
  'an end record that is cut': small.subarray(0, -1),
  'a directory that is shorter than its count': hex(
    `${local}${record('', '')}${end.replace('0100 0100', '0100 0200')}`,
  ),
  'a directory behind the file': concatBytes([hex(local), endOf(1, 47, 0xfffffff0)]),
  'a record of another signature': hex(local + record('504b0102', '504b0103') + end),
  'a header of another signature': hex(local.replace('504b0304', '504b0301') + record('', '') + end),
  'a header outside the file': hex(local + record('a481 00000000', 'a481 ffffffff') + end),
  'bytes that reach out of the file': hex(local + record('', '', 'ff000000 ff000000') + end),
  'ZIP64, whose sizes lie in an extra field': hex(local + record('', '', 'ffffffff ffffffff') + end),
}
for (const [what, bytes] of Object.entries(damaged)) {
  test(`not read: ${what}`, () => assert.is(read(bytes), undefined))
}

test('a thousand files are a list, one more is an archive', () => {
  const files = Array.from({ length: 1001 }, (_, i) => ({ name: `${i}`, bytes: Uint8Array.of(i) }))
  assert.is(read(zipOf(files.slice(1)))?.length, 1000)
  assert.is(read(zipOf(files)), undefined)
})

test('a directory beyond a mebibyte is not asked for', () => {
  const reading = readZip({ size: 2 ** 31 })
  assert.equal(reading.next().value, { start: 2 ** 31 - 22 - 0xffff, end: 2 ** 31 })
  const tail = new Uint8Array(22 + 0xffff)
  tail.set(endOf(1, 2 ** 20 + 1, 0), 0xffff)
  assert.equal(reading.next(tail), { done: true, value: undefined })
})

test('no truncation is read, and no changed bytes make it throw', () => {
  const zip = zipOf([
    { name: 'IMG_1.JPG', bytes: new Uint8Array(30), extra: 5 },
    { name: 'IMG_1.MOV', bytes: new Uint8Array(30), localExtra: 5 },
  ])
  for (let length = 0; length < zip.length; length++)
    assert.is(read(zip.subarray(0, length)), undefined, `${length} bytes`)
  assertProperty(
    fc.property(damagedCopies(zip, 8, 0), (broken) => {
      for (const { start, size } of read(broken) ?? []) assert.ok(start + size <= zip.length)
    }),
    { numRuns: 1000 },
  )
})

test.run()
