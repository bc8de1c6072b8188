import { concatBytes } from '#core/bytes'
import { encodeTrack, type NewTrack, type TrackPlace } from '#core/formats/mp4/encodeTrack'
import { assert, suite } from '../../../support/runner/suite'
import { equalBytes } from '../../../support/values/equalBytes'
import { isRangeError } from '../../../support/values/failures'
import { hex, toHex } from '../hex'

const test = suite('a track box')

const entry = hex('00000010 61766331 0102030405060708')

/** Five pictures in chunks of two, two and one. */
const video: NewTrack = {
  kind: 'video',
  sampleEntry: entry,
  timescale: 600,
  sizes: Uint32Array.of(9, 1, 2, 3, 4),
  durations: Uint32Array.of(20, 20, 20, 30, 20),
  compositionOffsets: Int32Array.of(0, 0, -20, 40, 40),
  sync: Uint8Array.of(1, 0, 0, 1, 0),
  edits: [
    { durationSeconds: 0.5, mediaTime: undefined },
    { durationSeconds: 0.25, mediaTime: 20 },
  ],
  display: { matrix: new Uint8Array(36).fill(0xab), width: 640.5, height: 360 },
}
const place: TrackPlace = {
  id: 7,
  movieTimescale: 1000,
  movieDuration: 750,
  chunks: [
    { track: 0, first: 0, end: 2 },
    { track: 0, first: 2, end: 4 },
    { track: 0, first: 4, end: 5 },
  ],
  offsets: [0x100, 0x200, 0xffffffff],
}

// Every box by hand from ISO/IEC 14496-12: 8.3.2 tkhd, 8.6.6 elst, 8.4.2 mdhd, 8.4.3 hdlr, 12.1.2 vmhd, 8.7.2 dref,
// 8.5.2 stsd, 8.6.1.2 stts, 8.6.2 stss, 8.6.1.3 ctts, 8.7.4 stsc, 8.7.3 stsz, 8.7.5 stco.
test('a video track is these bytes', () => {
  const stbl = `
    00000020 73747364 00000000 00000001 ${toHex(entry)}
    00000028 73747473 00000000 00000003 00000003 00000014 00000001 0000001e 00000001 00000014
    00000018 73747373 00000000 00000002 00000001 00000004
    00000028 63747473 01000000 00000003 00000002 00000000 00000001 ffffffec 00000002 00000028
    00000028 73747363 00000000 00000002 00000001 00000002 00000001 00000003 00000001 00000001
    00000028 7374737a 00000000 00000000 00000005 00000009 00000001 00000002 00000003 00000004
    0000001c 7374636f 00000000 00000003 00000100 00000200 ffffffff`
  equalBytes(
    encodeTrack(video, place),
    hex(`
      00000225 7472616b
      0000005c 746b6864 00000003 00000000 00000000 00000007 00000000 000002ee
        00000000 00000000 00000000 00000000 ${'ab'.repeat(36)} 02808000 01680000
      00000030 65647473 00000028 656c7374 00000000 00000002
        000001f4 ffffffff 00010000 000000fa 00000014 00010000
      00000191 6d646961
      00000020 6d646864 00000000 00000000 00000000 00000258 0000006e 55c40000
      0000002d 68646c72 00000000 00000000 76696465 00000000 00000000 00000000 566964656f48616e646c657200
      0000013c 6d696e66
      00000014 766d6864 00000001 00000000 00000000
      00000024 64696e66 0000001c 64726566 00000000 00000001 0000000c 75726c20 00000001
      000000fc 7374626c ${stbl}`),
  )
})

/** What follows a box's header, of the only box of this name. */
function bodyOf(bytes: Uint8Array, type: string): string | undefined {
  const text = Buffer.from(bytes).toString('latin1')
  const at = text.indexOf(type)
  if (at < 0) return undefined
  assert.is(text.indexOf(type, at + 1), -1, `${type} once`)
  const size = Buffer.from(bytes).readUInt32BE(at - 4)
  return toHex(bytes.subarray(at + 4, at - 4 + size))
}

const sound: NewTrack = {
  ...video,
  kind: 'audio',
  compositionOffsets: undefined,
  sync: undefined,
  edits: [],
  display: undefined,
}

test('a sound track has a volume and no size, and no boxes that it does not need', () => {
  const bytes = encodeTrack(sound, place)
  // Layer 0, alternate group 1, volume 1.0; the unity matrix; no width, no height.
  assert.is(
    bodyOf(bytes, 'tkhd')?.slice(48),
    `${'0'.repeat(16)}0000000101000000${'00010000 00000000 00000000 00000000 00010000 00000000 00000000 00000000 40000000'.replaceAll(' ', '')}${'0'.repeat(16)}`,
  )
  assert.is(bodyOf(bytes, 'smhd'), '0000000000000000')
  assert.match(bodyOf(bytes, 'hdlr') ?? '', /^0{16}736f756e/)
  for (const type of ['edts', 'stss', 'ctts', 'vmhd']) assert.is(bodyOf(bytes, type), undefined, type)
})

test('offsets without a negative one need only version 0, and a track without keyframes has an empty list', () => {
  const bytes = encodeTrack(
    { ...video, compositionOffsets: new Int32Array(5).fill(7), sync: new Uint8Array(5) },
    place,
  )
  assert.is(bodyOf(bytes, 'ctts'), '00000000 00000001 00000005 00000007'.replaceAll(' ', ''))
  assert.is(bodyOf(bytes, 'stss'), '00000000 00000000'.replaceAll(' ', ''))
})

test('a track without samples has empty tables', () => {
  const bytes = encodeTrack(
    { ...sound, sizes: new Uint32Array(), durations: new Uint32Array() },
    { ...place, chunks: [], offsets: [] },
  )
  for (const type of ['stts', 'stsc', 'stco']) assert.is(bodyOf(bytes, type), '0'.repeat(16), type)
  assert.is(bodyOf(bytes, 'stsz'), '0'.repeat(24))
})

test('a number beyond 32 bits is refused', () => {
  assert.ok(encodeTrack(sound, { ...place, offsets: [0xffffffff] }))
  const refused: readonly (readonly [NewTrack, Partial<TrackPlace>])[] = [
    [sound, { offsets: [2 ** 32] }],
    [sound, { movieDuration: 2 ** 32 }],
    [{ ...sound, durations: Uint32Array.of(0xffffffff, 1) }, {}],
    [{ ...sound, edits: [{ durationSeconds: 2 ** 32, mediaTime: 0 }] }, {}],
    [{ ...video, display: { matrix: new Uint8Array(36), width: 65_536, height: 1 } }, {}],
  ]
  for (const [track, change] of refused)
    assert.throws(() => encodeTrack(track, { ...place, ...change }), isRangeError)
})

test('the entry of the samples is taken over as it is', () => {
  const odd = concatBytes([hex('00000011 656e6376'), new Uint8Array(9).fill(0xcd)])
  const stsd = bodyOf(encodeTrack({ ...sound, sampleEntry: odd }, place), 'stsd')
  assert.is(stsd, `0000000000000001${toHex(odd)}`)
})

test.run()
