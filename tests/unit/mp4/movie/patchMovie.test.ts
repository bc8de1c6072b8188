import { concatBytes, viewOf } from '@lantern-room/base/bytes'
import { encodeBox, encodeFullBox, onlyBox, readBoxes, uint32s } from '#internal/mp4/movie/boxes'
import { patchChunkOffsets, stampTimes } from '#internal/mp4/movie/patchMovie'
import { assert, suite } from '../../../support/runner/suite'
import { equalBytes } from '../../../support/values/equalBytes'

const test = suite('times in a movie')

/** 2024-05-06T07:08:09Z, in seconds from 1904. */
const STAMP = 3_797_824_089

function movie(version: 0 | 1, times: number): Uint8Array {
  const stamps = version === 0 ? uint32s(times, times) : uint32s(0, times, 0, times)
  const header = (type: string) => encodeFullBox(type, version << 24, stamps, uint32s(1, 2, 3))
  const mdia = encodeBox('mdia', header('mdhd'), encodeBox('minf'))
  const tracks = [encodeBox('trak', header('tkhd'), mdia), encodeBox('trak', header('tkhd'))]
  const moov = encodeBox('moov', header('mvhd'), ...tracks)
  return concatBytes([encodeBox('ftyp'), moov, encodeBox('mdat', uint32s(7))])
}

for (const version of [0, 1] as const) {
  test(`creation and modification of movie and tracks are set, version ${version}`, () => {
    const stamped = movie(version, 0)
    stampTimes(stamped, Date.UTC(2024, 4, 6, 7, 8, 9, 999))
    equalBytes(stamped, movie(version, STAMP))
  })
}

test('times that do not fit and boxes that are missing change nothing', () => {
  for (const unixMs of [Date.UTC(1903, 0), Date.UTC(2041, 0)]) {
    const stamped = movie(0, 5)
    stampTimes(stamped, unixMs)
    equalBytes(stamped, movie(0, 5))
  }
  const short = encodeBox('moov', encodeBox('mvhd', uint32s(0)))
  for (const bytes of [new Uint8Array(), encodeBox('moov'), short]) {
    const stamped = bytes.slice()
    stampTimes(stamped, 0)
    equalBytes(stamped, bytes)
  }
})

test('the sample is not what is looked at', () => {
  const stamped = movie(0, 0)
  stampTimes(stamped, 0)
  const mdat = onlyBox(readBoxes(stamped) ?? [], 'mdat')
  assert.is(mdat && viewOf(mdat.body).getUint32(0), 7)
})

test('offsets of samples move, in 32 and in 64 bits', () => {
  const index = (short: number, long: number) => {
    const tables = [
      encodeFullBox('stco', 0, uint32s(1, short)),
      encodeFullBox('co64', 0, uint32s(2, 0, long, 1, long)),
    ]
    const media = tables.map((table) => encodeBox('mdia', encodeBox('minf', encodeBox('stbl', table))))
    return encodeBox('moov', ...media.map((mdia) => encodeBox('trak', mdia)))
  }
  const moved = index(100, 200)
  patchChunkOffsets(moved, (offset) => offset + 24)
  equalBytes(moved, index(124, 224))
})

test.run()
