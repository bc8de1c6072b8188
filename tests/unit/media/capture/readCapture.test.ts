import { parseLocation, readCapture } from '#internal/media/capture/readCapture'
import type { Recording, VideoClocks } from '#internal/media/traits'
import { assert, suite } from '#support/runner/suite'

const test = suite('what a video says of its recording')

/** ffmpeg's words about a file with these tags, which a stream of it has otherwise. */
function words(tags: readonly string[]): string {
  return [
    "Input #0, mov,mp4,m4a,3gp,3g2,mj2, from 'file:/data/1/upload':",
    ...(tags.length > 0 ? ['  Metadata:', ...tags.map((tag) => `    ${tag}`)] : []),
    '  Duration: 00:00:04.00, start: 0.000000, bitrate: 581 kb/s',
    '  Stream #0:0[0x1](und): Video: h264, yuv420p, 568x320',
    '    Metadata:',
    '      creation_time   : 2001-01-01T00:00:00.000000Z',
    '      make            : Stream',
    '',
  ].join('\n')
}

const MORNING = Date.UTC(2024, 4, 6, 7, 8, 9)
const NOTHING: Recording = {
  clocks: { told: undefined, header: undefined, offsetMinutes: undefined, seconds: 4 },
  place: undefined,
  maker: undefined,
  model: undefined,
}

function clocksOf(...tags: readonly string[]): Partial<VideoClocks> {
  return readCapture(words(tags)).clocks ?? {}
}

test('an iPhone says all, with the zone', () => {
  const tags = [
    'major_brand     : qt  ',
    'creation_time   : 2024-05-06T07:30:00.000000Z',
    'com.apple.quicktime.make: Apple',
    'com.apple.quicktime.model: iPhone 15 Pro',
    'com.apple.quicktime.software: 17.4.1',
    'com.apple.quicktime.creationdate: 2024-05-06T09:08:09+0200',
    'com.apple.quicktime.location.ISO6709: +48.1372+011.5755+519.000/',
  ]
  assert.equal(readCapture(words(tags)), {
    clocks: {
      told: { unixMs: MORNING, offsetMinutes: 120 },
      header: { unixMs: MORNING, writer: 'apple' },
      offsetMinutes: undefined,
      seconds: 4,
    },
    place: { latitude: 48.1372, longitude: 11.5755, altitude: 519 },
    maker: 'Apple',
    model: 'iPhone 15 Pro',
  })
})

test('an Android phone says the end in UTC, and a Samsung its zone', () => {
  const tags = [
    'creation_time   : 2024-05-06T07:08:09.000000Z',
    'location        : -33.8568+151.2153/',
    'location-eng    : +00.0000+000.0000/',
    'com.android.manufacturer: samsung',
    'com.android.model: SM-S911B',
    'com.samsung.android.utc_offset: +0900',
  ]
  assert.equal(readCapture(words(tags)), {
    clocks: {
      told: undefined,
      header: { unixMs: MORNING, writer: 'android' },
      offsetMinutes: 540,
      seconds: 4,
    },
    place: { latitude: -33.8568, longitude: 151.2153, altitude: undefined },
    maker: 'samsung',
    model: 'SM-S911B',
  })
})

test('tags of streams, of further lines and of other files count for nothing', () => {
  assert.equal(readCapture(words([])), NOTHING)
  assert.equal(readCapture(''), { ...NOTHING, clocks: { ...NOTHING.clocks, seconds: 0 } })
  const lines = ['comment         : a', '                : make: b', 'title           : creation_time : 2024']
  assert.equal(readCapture(words(lines)), NOTHING)
})

test('what cannot be true is not believed', () => {
  for (const time of [
    '1904-01-01T00:00:00.000000Z',
    '1970-01-01T00:00:00.000000Z',
    '1980-01-01T00:00:00Z',
    '2024-02-30T00:00:00Z',
    '2024',
    '2024-05-06',
    '2024-05-06T07:08:09',
    'yesterday',
    '9999-01-01T00:00:00Z',
  ])
    assert.is(clocksOf(`creation_time   : ${time}`).header, undefined, time)
})

test('the writer of a header is known by its tracks, brands and tags', () => {
  const time = 'creation_time   : 2024-05-06T07:08:09.000000Z'
  const writer = (text: string) => readCapture(text).clocks?.header?.writer
  assert.is(writer(words([time])), 'other')
  assert.is(writer(words([time, 'com.android.capture.fps: 30.0'])), 'android')
  assert.is(writer(words([time, 'compatible_brands: qt  niko'])), 'local')
  for (const [handler, known] of [
    ['VideoHandle', 'android'],
    ['VideoHandler', 'other'],
    ['Core Media Video', 'apple'],
    ['GoPro AVC', 'local'],
  ] as const)
    assert.is(writer(`${words([time])}      handler_name    : ${handler}\n`), known, handler)
  const avi = words(['creation_time   : 2024-05-06 07:08:09']).replace(/mov,\S+/, 'avi,')
  assert.equal(readCapture(avi).clocks?.header, { unixMs: MORNING, writer: 'local' })
})

test('a day with an offset is more exact than a header, and one without is not', () => {
  const header = 'creation_time   : 2024-05-06T07:08:11.000000Z'
  const day = 'DATE            : 2024-05-06T09:08:09+0200'
  assert.equal(clocksOf(header, day).told, { unixMs: MORNING, offsetMinutes: 120 })
  const inUtc = clocksOf(header, 'date: 2024-05-06T07:08:09Z')
  assert.equal([inUtc.told, inUtc.header?.unixMs], [undefined, MORNING + 2000])
  assert.is(clocksOf('date: 2024-05-06T07:08:09Z').header?.unixMs, MORNING)
})

test('names are printable ASCII of at most 64 characters', () => {
  const { maker, model } = readCapture(
    words(['make            : Größe\u0007 ', `model           : ${'x'.repeat(99)}`]),
  )
  assert.is(maker, 'Gre')
  assert.is(model, 'x'.repeat(64))
  assert.is(readCapture(words(['make            : 华为'])).maker, undefined)
})

test('north and east are positive, and the altitude may be missing', () => {
  for (const [text, latitude, longitude, altitude] of [
    ['+48.1372+011.5755+519.000/', 48.1372, 11.5755, 519],
    ['-33.8568-070.5/', -33.8568, -70.5, undefined],
    ['+90-180-430.5CRSWGS_84/', 90, -180, -430.5],
  ] as const)
    assert.equal(parseLocation(text), { latitude, longitude, altitude })
})

test('no place is no place', () => {
  const texts = ['', '48.1,11.5', '+00.0000+000.0000/', '+91.0+000.5/', '+10.0+181.0/', '+4807.5', 'Rome']
  for (const text of texts) assert.is(parseLocation(text), undefined, text)
})

test.run()
