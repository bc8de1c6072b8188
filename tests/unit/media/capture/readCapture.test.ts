import { parseLocation, readCapture } from '#core/media/capture/readCapture'
import { UNKNOWN_CAPTURE } from '#core/media/traits'
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
    time: { unixMs: MORNING, offsetMinutes: 120 },
    place: { latitude: 48.1372, longitude: 11.5755, altitude: 519 },
    maker: 'Apple',
    model: 'iPhone 15 Pro',
  })
})

test('an Android phone says the time in UTC', () => {
  const tags = [
    'creation_time   : 2024-05-06T07:08:09.000000Z',
    'location        : -33.8568+151.2153/',
    'location-eng    : +00.0000+000.0000/',
    'com.android.manufacturer: samsung',
    'com.android.model: SM-S911B',
  ]
  assert.equal(readCapture(words(tags)), {
    time: { unixMs: MORNING, offsetMinutes: undefined },
    place: { latitude: -33.8568, longitude: 151.2153, altitude: undefined },
    maker: 'samsung',
    model: 'SM-S911B',
  })
})

test('tags of streams, of further lines and of other files count for nothing', () => {
  assert.equal(readCapture(words([])), UNKNOWN_CAPTURE)
  assert.equal(readCapture(''), UNKNOWN_CAPTURE)
  const lines = ['comment         : a', '                : make: b', 'title           : creation_time : 2024']
  assert.equal(readCapture(words(lines)), UNKNOWN_CAPTURE)
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
    assert.is(readCapture(words([`creation_time   : ${time}`])).time, undefined, time)
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
