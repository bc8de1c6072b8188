import { viewOf } from '@lantern-room/base/bytes'
import { type Box, encodeBox, onlyBox, readBoxes, uint32s } from '#internal/mp4/movie/boxes'
import { UNITY_MATRIX } from '#internal/mp4/movie/encodeTrack'
import { readClock, readTrack, type Track, turnDisplay } from '#internal/mp4/movie/track'
import { hex } from '#support/values/hex'
import { assert, suite } from '../../../support/runner/suite'
import { audioTrack, buildMp4, fullBox, type SampleTrack, videoTrack } from './sampleMp4'

const test = suite('MP4 track')

test('id, kind, timescale and samples are read', () => {
  const track = trackOf(videoTrack)
  assert.equal([track?.id, track?.kind, track?.timescale, track?.codec], [1, 'video', 15_360, 'avc1'])
  assert.is(track?.samples.count, 6)
  assert.is(trackOf(audioTrack)?.kind, 'audio')
})

test('the edit list decides how long a track is', () => {
  const [video, audio] = [trackOf(videoTrack), trackOf(audioTrack)]
  assert.is(video?.durationSeconds, 0.2)
  assert.equal(audio?.edits, [{ durationSeconds: 0.107, mediaTime: 1024, rate: 1 }])
  assert.is(audio?.durationSeconds, 0.107)
})

test('the track header says how its pictures are shown', () => {
  // Turned by a quarter: the matrix of a phone that was held upright.
  const matrix = uint32s(0, 0x10000, 0, 0xffff0000, 0, 0, 0, 0, 0x40000000)
  const size = uint32s(1920 << 16, 1080 << 16)
  const short = fullBox('tkhd', uint32s(0, 0, 7, 0, 0), uint32s(0, 0, 0, 0), matrix, size)
  const long = encodeBox(
    'tkhd',
    uint32s(0x1000000, 0, 0, 0, 0, 7, 0, 0, 0),
    uint32s(0, 0, 0, 0),
    matrix,
    size,
  )
  for (const tkhd of [short, long]) {
    const plain = readBoxes(boxOf(trakOf(videoTrack)).body) ?? []
    const trak = encodeBox('trak', tkhd, ...plain.filter(({ type }) => type !== 'tkhd').map(rewrite))
    const track = read(trak)
    assert.is(track?.id, 7)
    assert.equal(track?.display, { matrix, width: 1920, height: 1080 })
  }
})

test('without an edit list the samples do', () => {
  const { edits: _, ...plain } = audioTrack
  const track = trackOf(plain)
  assert.is(track?.durationSeconds, (6 * 1024) / 48000)
  assert.equal(track?.edits, [])
})

test('an edit of duration 0 plays the rest, an empty one counts as delay', () => {
  const edits = [
    [500, 0xffffffff],
    [0, 1024],
  ] as const
  const track = trackOf({ ...audioTrack, edits })
  assert.equal(track?.edits[0], { durationSeconds: 0.5, mediaTime: undefined, rate: 1 })
  assert.is(track?.durationSeconds, 0.5 + (5 * 1024) / 48000)
})

test('a track of neither pictures nor sound is another one', () => {
  const trak = trakOf(videoTrack)
  trak.set(Buffer.from('text'), Buffer.from(trak).indexOf('vide'))
  assert.is(read(trak)?.kind, 'other')
  assert.is(read(trak)?.width, 0)
})

test('a track with a part missing or more samples than allowed is undefined', () => {
  for (const part of ['tkhd', 'mdia', 'hdlr', 'mdhd', 'minf', 'stbl', 'stsd', 'stsz']) {
    const trak = trakOf(videoTrack)
    trak.set(Buffer.from('free'), Buffer.from(trak).indexOf(part))
    assert.is(read(trak), undefined, part)
  }
  assert.is(read(trakOf(videoTrack), 6)?.samples.count, 6)
  assert.is(read(trakOf(videoTrack), 5), undefined)
})

test('an edit list that claims more rows than it has is undefined', () => {
  const trak = trakOf(videoTrack)
  trak.set(hex('00000002'), Buffer.from(trak).indexOf('elst') + 8)
  assert.is(read(trak), undefined)
})

test('a clock has 32-bit or 64-bit times', () => {
  const short = (...numbers: number[]) => readClock(boxOf(fullBox('mdhd', uint32s(1, 2, ...numbers))))
  const long = (duration: Uint8Array) =>
    readClock(boxOf(encodeBox('mdhd', hex('01000000'), uint32s(0, 1, 0, 2, 1000), duration)))
  assert.equal(short(1000, 5000, 0), { timescale: 1000, duration: 5000 })
  assert.equal(long(uint32s(1, 5)), { timescale: 1000, duration: 2 ** 32 + 5 })
  assert.equal(long(hex('ffffffffffffffff')), { timescale: 1000, duration: 0 })
  assert.equal(short(1000, 0xffffffff, 0), { timescale: 1000, duration: 0 })
  assert.is(long(uint32s(1)), undefined, 'cut')
  assert.is(short(1000), undefined, 'cut')
  assert.is(short(0, 5000, 0), undefined, 'a timescale of 0')
  assert.is(readClock(undefined), undefined)
})

function rewrite({ type, body }: Box): Uint8Array {
  return encodeBox(type, body)
}

/** The only track's box, with its header. */
function trakOf(track: SampleTrack): Uint8Array {
  const boxes = readBoxes(buildMp4({ order: ['ftyp', 'moov', 'mdat'], tracks: [track] })) ?? []
  const moov = onlyBox(boxes, 'moov')
  const trak = onlyBox(readBoxes(moov?.body ?? new Uint8Array()) ?? [], 'trak')
  return encodeBox('trak', trak?.body ?? new Uint8Array())
}

function boxOf(bytes: Uint8Array): Box {
  const [box] = readBoxes(bytes) ?? []
  if (!box) throw new Error('no box')
  return box
}

function read(trak: Uint8Array, maxSamples = 1000): Track | undefined {
  return readTrack(boxOf(trak), 1000, maxSamples)
}

function trackOf(track: SampleTrack): Track | undefined {
  return read(trakOf(track))
}

test('a track with thousands of edits is undefined', () => {
  const edits = (count: number) => Array.from({ length: count }, () => [0, 0] as const)
  assert.is(trackOf({ ...audioTrack, edits: edits(1000) })?.edits.length, 1000)
  assert.is(trackOf({ ...audioTrack, edits: edits(1001) }), undefined)
})

const upright = { matrix: UNITY_MATRIX, width: 320, height: 180 }

const UPRIGHT: readonly (readonly [x: number, y: number])[] = [0, 180].flatMap((y) => [
  [0, y],
  [320, y],
])

/** Where the corners of the picture are shown, as `x,y`. */
function corners(display: typeof upright): string {
  const view = viewOf(display.matrix)
  const at = (index: number) => view.getInt32(index * 4) / 0x10000
  return UPRIGHT.map(([p, q]) => [at(0) * p + at(3) * q + at(6), at(1) * p + at(4) * q + at(7)]).join(' ')
}

const shown = {
  0: '0,0 320,0 0,180 320,180',
  90: '180,0 180,320 0,0 0,320',
  180: '320,180 0,180 320,0 0,0',
  270: '0,320 0,0 180,320 180,0',
}
for (const [degrees, places] of Object.entries(shown)) {
  test(`turned by ${degrees} degrees clockwise the corners of a track are shown elsewhere`, () => {
    assert.equal(corners(turnDisplay(upright, Number(degrees))), places)
  })
}

test('a rotation comes after the one that the track has', () => {
  const once = turnDisplay(upright, 90)
  assert.equal(corners(turnDisplay(once, 270)), shown[0])
  assert.equal(corners(turnDisplay(once, 180)), shown[270])
  assert.equal(turnDisplay(once, 90).matrix, turnDisplay(upright, 180).matrix)
})

test.run()
