import fc from 'fast-check'
import { viewOf } from '#core/bytes'
import { encodeBox } from '#core/formats/mp4/boxes'
import { patchChunkOffsets } from '#core/formats/mp4/patchMovie'
import { assert, suite } from '../../../support/runner/suite'
import { assertProperty } from '../../../support/values/assertProperty'
import { equalBytes } from '../../../support/values/equalBytes'
import { hex } from '../hex'

const test = suite('chunk offsets')

const box = (type: string, digits: string) => encodeBox(type, hex(digits))
/** A track whose sample table has these boxes, as ISO/IEC 14496-12, 8.1 to 8.7, nests them. */
const trak = (...tables: readonly Uint8Array[]) =>
  encodeBox('trak', box('tkhd', '00'), encodeBox('mdia', encodeBox('minf', encodeBox('stbl', ...tables))))
const moovOf = (...tracks: readonly Uint8Array[]) => encodeBox('moov', box('mvhd', '0102'), ...tracks)

function moved(moov: Uint8Array, move: (offset: number) => number): Uint8Array {
  const copy = moov.slice()
  patchChunkOffsets(copy, move)
  return copy
}

test('every entry of 32 and of 64 bits is moved, in every track', () => {
  const tables = [
    ['00000000 00000002 00000010 7fffffff', '00000000 00000002 00000015 80000004'],
    [
      '00000000 00000002 00000000fffffffe 0000000100000000',
      '00000000 00000002 0000000100000003 0000000100000005',
    ],
    ['00000000 00000000', '00000000 00000000'],
  ] as const
  const movie = (column: 0 | 1) =>
    moovOf(
      trak(box('stsz', '00000000'), box('stco', tables[0][column])),
      trak(box('co64', tables[1][column]), box('stss', '00000000')),
      trak(box('stco', tables[2][column])),
    )
  const later = moved(movie(0), (offset) => offset + 5)
  equalBytes(later, movie(1))
})

test('boxes of these names elsewhere, and bytes behind the count, are left alone', () => {
  const stco = box('stco', '00000000 00000001 00000010')
  const moov = moovOf(
    encodeBox('udta', stco),
    trak(encodeBox('free', stco), box('stco', '00000000 00000001 00000010 00000020')),
  )
  const after = moov.slice()
  viewOf(after).setUint32(after.length - 8, 0x11)
  const later = moved(moov, (offset) => offset + 1)
  equalBytes(later, after)
})

test('what is no row of boxes is left alone', () => {
  for (const bytes of [hex(''), hex('00'), hex('ffffffff 6d6f6f76'), moovOf(trak(hex('0000')))])
    equalBytes(
      moved(bytes, () => assert.unreachable() as never),
      bytes,
    )
})

test('an offset that its mover refuses stops at once', () => {
  const moov = moovOf(trak(box('stco', '00000000 00000002 00000001 00000002')))
  const refuse = () => {
    throw new RangeError('outside')
  }
  assert.throws(() => patchChunkOffsets(moov, refuse), /outside/)
})

test('offsets are moved in order, each once, up to 2^53', () => {
  const offset = fc.oneof(
    fc.nat({ max: 0xffff_ffff }),
    fc.maxSafeNat().map((value) => value - (value % 2)),
  )
  assertProperty(
    fc.property(fc.array(offset, { maxLength: 9 }), (offsets) => {
      const body = new Uint8Array(8 + offsets.length * 8)
      viewOf(body).setUint32(4, offsets.length)
      offsets.forEach((value, i) => {
        viewOf(body).setBigUint64(8 + i * 8, BigInt(value))
      })
      const seen: number[] = []
      const moov = moovOf(trak(encodeBox('co64', body)))
      const after = moved(moov, (value) => {
        seen.push(value)
        return Number.MAX_SAFE_INTEGER - value
      })
      assert.equal(seen, offsets)
      const table = viewOf(after.subarray(after.length - offsets.length * 8))
      offsets.forEach((value, i) => {
        assert.is(Number(table.getBigUint64(i * 8)), Number.MAX_SAFE_INTEGER - value)
      })
      equalBytes(
        after.subarray(0, -offsets.length * 8 || undefined),
        moov.subarray(0, -offsets.length * 8 || undefined),
      )
    }),
  )
})

test.run()
