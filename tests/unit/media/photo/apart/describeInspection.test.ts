import type { Inspection } from '@lantern-room/formats'
import { describeInspection, recognisedBy } from '#internal/media/photo/apart/describeInspection'
import { assert, suite } from '#support/runner/suite'
import { type Exif, emptyPhoto, fullXmp, type Xmp } from '../../../formats/motionPhoto/samplePhoto'

const test = suite('the summary of an inspection')

const xmp: Xmp = { ...fullXmp, presentationTimestampUs: 500, microVideoPresentationTimestampUs: 600 }
const exif: Exif = {
  dateTime: '2025:01:01 00:00:00',
  dateTimeOriginal: '2026:03:04 05:06:07',
  dateTimeDigitized: undefined,
  gpsDate: undefined,
  gpsTime: undefined,
  offsetTime: '+01:00',
  subSecOriginal: undefined,
  maker: undefined,
  model: undefined,
  software: 'Camera',
  orientation: 6,
  width: 1,
  height: 2,
  xiaomiMark: 'IFD0',
  userComment: 'secret',
  contentIdentifier: 'ABC',
  thumbnail: new Uint8Array(3),
}
const full: Inspection['photo'] = {
  ...emptyPhoto,
  size: 5000,
  frame: { width: 4000, height: 3000 },
  xmp,
  exif,
  mpf: [],
  clip: { offset: 1000, length: 3000 },
  samsung: { blocks: [], directoryOffset: 4900 },
  huawei: { coverFrame: 1, clipOffset: 1000 },
}
const clip: NonNullable<Inspection['clip']> = {
  durationSeconds: 2.0000004,
  codec: 'hvc1',
  width: 1920,
  height: 1080,
  frames: 60,
  fps: 30,
  hasAudio: false,
  format: {
    codec: 'HEVC',
    profile: 'Main',
    level: 5.1,
    bitDepth: 8,
    chroma: '4:2:0',
    isInterlaced: false,
    width: 1920,
    height: 1080,
  },
  problems: [],
}

const describe = (change: Partial<Inspection>) =>
  describeInspection({ photo: full, clip, galleries: [], ...change })

test('all that was found is told, and no more', () => {
  const { sending, ...summary } = describe({})
  assert.equal(
    sending.map(({ as, keeps }) => `${as}: ${keeps}`),
    ['picture: still', 'file: all'],
  )
  assert.equal(summary, {
    format: 'jpeg',
    bytes: 5000,
    width: 4000,
    height: 3000,
    taken_at: '2026:03:04 05:06:07',
    time_zone: '+01:00',
    clip: {
      offset: 1000,
      bytes: 3000,
      duration: 2,
      codec: 'hvc1',
      width: 1920,
      height: 1080,
      frames: 60,
      has_audio: false,
      fps: 30,
      profile: 'Main',
      level: 5.1,
      bit_depth: 8,
      chroma: '4:2:0',
      interlaced: false,
    },
    presentation_timestamp_us: 500,
    content_identifier: 'ABC',
    marks: {
      motion_photo: true,
      micro_video: true,
      samsung: true,
      xiaomi: 'IFD0',
      oppo: true,
      vivo: true,
      huawei: true,
      mpf: true,
    },
    galleries: [],
  })
})

test('what was not found is null, or no mark', () => {
  const { format, bytes, marks, galleries, sending, ...others } = describe({
    photo: { ...emptyPhoto, format: 'heic' },
    clip: undefined,
  })
  assert.equal([format, bytes, galleries, sending], ['heic', 1000, [], []])
  const names = ['width', 'height', 'taken_at', 'time_zone', 'clip', 'presentation_timestamp_us']
  // In JSON, `undefined` would leave the field out.
  assert.equal(others, nothingOf([...names, 'content_identifier']))
  const { xiaomi, ...flags } = marks
  assert.equal([xiaomi, ...Object.values(flags)], [null, ...Array(7).fill(false)])
})

test('a clip that cannot be read has a place, and nothing else', () => {
  const { offset, bytes, ...others } = describe({ clip: undefined }).clip ?? {}
  assert.equal([offset, bytes], [1000, 3000])
  const names = Object.keys(describe({}).clip ?? {}).filter((name) => name !== 'offset' && name !== 'bytes')
  assert.equal(others, nothingOf(names))
})

function nothingOf(names: readonly string[]): object {
  return Object.fromEntries(names.map((name) => [name, null]))
}

test('a duration is whole microseconds', () => {
  const durationOf = (durationSeconds: number) =>
    describe({ clip: { ...clip, durationSeconds } }).clip?.duration
  assert.equal([1 / 3, 0.1 + 0.2, 0, 1.0000005].map(durationOf), [0.333333, 0.3, 0, 1.000001])
})

test('a moment of the first frame is told, and the next best one where it is missing', () => {
  const momentOf = (change: Partial<typeof xmp>, pair?: Inspection['pair']) =>
    describe({ photo: { ...full, xmp: { ...xmp, ...change } }, ...(pair && { pair }) })
      .presentation_timestamp_us
  const unnamed = { presentationTimestampUs: undefined }
  assert.is(momentOf({ presentationTimestampUs: 0 }), 0)
  assert.is(momentOf(unnamed), 600)
  assert.is(momentOf({ ...unnamed, microVideoPresentationTimestampUs: undefined }), null)
  assert.is(momentOf({}, { identifier: 'A', stillTimeUs: 0 }), 0)
  assert.is(momentOf({}, { identifier: 'A', stillTimeUs: undefined }), 500)
})

test('the time of the file stands in for that of the picture', () => {
  const { taken_at } = describe({ photo: { ...full, exif: { ...exif, dateTimeOriginal: undefined } } })
  assert.is(taken_at, '2025:01:01 00:00:00')
})

test('a field of 0 is no mark', () => {
  const { marks } = describe({ photo: { ...full, xmp: { ...xmp, motionPhoto: 0, microVideo: 0 } } })
  assert.equal([marks.motion_photo, marks.micro_video], [false, false])
})

test('a pair is a Live Photo, whatever its photo is', () => {
  assert.is(describe({ pair: { identifier: undefined, stillTimeUs: undefined } }).format, 'live-photo')
})

type GalleryVerdict = Inspection['galleries'][number]

const verdict: GalleryVerdict = {
  gallery: 'samsung',
  recognised: 'unsure',
  plays: false,
  timestamp: 'wrong',
  problems: [
    { code: 'has-clip', detail: 'Gone.', repair: undefined },
    { code: 'samsung-block', detail: 'Missing.', repair: 'write it' },
  ],
}

test('a problem that cannot be repaired says so', () => {
  const problems = [
    { code: 'has-clip', detail: 'Gone.', repair: null },
    { code: 'samsung-block', detail: 'Missing.', repair: 'write it' },
  ]
  assert.equal(describe({ galleries: [verdict] }).galleries, [{ ...verdict, problems }])
})

test('only galleries that are sure are counted, in a fixed order', () => {
  const galleries: readonly GalleryVerdict[] = [
    { ...verdict, gallery: 'vivo', recognised: 'yes' },
    { ...verdict, gallery: 'apple', recognised: 'no' },
    { ...verdict, gallery: 'oppo', recognised: 'unsure' },
    { ...verdict, gallery: 'google', recognised: 'yes' },
  ]
  assert.equal(recognisedBy({ photo: full, clip, galleries }), ['google', 'vivo'])
  assert.equal(recognisedBy({ photo: full, clip, galleries: [] }), [])
})

test.run()
