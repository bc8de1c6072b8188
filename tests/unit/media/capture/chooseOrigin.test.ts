import { isoTime } from '#core/formats/exif/wallClock'
import { type Circumstances, chooseOrigin, type OriginWish } from '#core/media/capture/chooseOrigin'
import { parseMoment } from '#core/media/capture/moment'
import { type Capture, UNKNOWN_CAPTURE } from '#core/media/traits'
import { assert, suite } from '#support/runner/suite'

const test = suite('what a photo says of its making')

const NOW = Date.UTC(2026, 10, 22, 16)
const FILE_TIME = Date.UTC(2025, 0, 1, 12)
const RECORDED = Date.UTC(2024, 4, 6, 7, 8, 9)

const munich: Capture = {
  time: { unixMs: RECORDED, offsetMinutes: 120 },
  place: { latitude: 48, longitude: 11, altitude: undefined },
  maker: 'Apple',
  model: 'iPhone',
}
const utc: Capture = { ...munich, time: { unixMs: RECORDED, offsetMinutes: undefined } }

type Case = {
  what: string
  capture?: Capture
  capturedAt?: string
  timeZone?: string
  metadata?: OriginWish['metadata']
  circumstances?: Partial<Circumstances>
  takenAt: string | undefined
}

const NO_WISH = { capturedAt: undefined, timeZone: undefined }
const machine = { localZone: () => -300, fileTime: FILE_TIME }

const cases: readonly Case[] = [
  { what: 'the time of the video, with its zone', takenAt: '2024-05-06T09:08:09+02:00' },
  { what: 'its zone on a machine elsewhere', circumstances: machine, takenAt: '2024-05-06T09:08:09+02:00' },
  { what: 'UTC, where no zone is known', capture: utc, takenAt: '2024-05-06T07:08:09+00:00' },
  {
    what: "the machine's zone, where none is known",
    capture: utc,
    circumstances: machine,
    takenAt: '2024-05-06T02:08:09-05:00',
  },
  { what: 'the zone that is wanted', timeZone: 'Asia/Tokyo', takenAt: '2024-05-06T16:08:09+09:00' },
  { what: 'now, where nothing is known', capture: UNKNOWN_CAPTURE, takenAt: '2026-11-22T16:00:00+00:00' },
  {
    what: "the file's time, where the video has none",
    capture: UNKNOWN_CAPTURE,
    circumstances: machine,
    takenAt: '2025-01-01T07:00:00-05:00',
  },
  {
    what: 'the given time as it is',
    capturedAt: '2020-02-03T04:05:06+01:00',
    takenAt: '2020-02-03T04:05:06+01:00',
  },
  {
    what: 'the given time in another zone',
    capturedAt: '2020-02-03T04:05:06+01:00',
    timeZone: '-02:00',
    takenAt: '2020-02-03T01:05:06-02:00',
  },
  {
    what: 'a local time in the given zone',
    capturedAt: '2020-07-03T04:05:06',
    timeZone: 'Europe/Berlin',
    takenAt: '2020-07-03T04:05:06+02:00',
  },
  {
    what: "a local time in the machine's zone",
    capturedAt: '2020-07-03T04:05:06',
    circumstances: machine,
    takenAt: '2020-07-03T04:05:06-05:00',
  },
  { what: 'a local time without a zone', capturedAt: '2020-07-03T04:05:06', takenAt: '2020-07-03T04:05:06' },
  { what: 'nothing, where nothing is wanted', metadata: 'none', takenAt: undefined },
]

for (const {
  what,
  capture = munich,
  capturedAt,
  timeZone,
  metadata = 'date',
  circumstances,
  takenAt,
} of cases) {
  test(`the photo has ${what}`, () => {
    const given = capturedAt === undefined ? undefined : parseMoment(capturedAt)
    const wish = { metadata, capturedAt: given, timeZone }
    const origin = chooseOrigin(wish, capture, { now: NOW, ...circumstances })
    assert.is(origin.takenAt && isoTime(origin.takenAt), takenAt)
    assert.is(isoTime(origin.namedAt), takenAt ?? '2026-11-22T16:00:00+00:00')
  })
}

test('place, maker and model are told only on request', () => {
  const wish = (metadata: OriginWish['metadata']) => ({ ...NO_WISH, metadata })
  const { place, maker, model } = chooseOrigin(wish('all'), munich, { now: NOW })
  assert.equal({ place, maker, model }, { place: munich.place, maker: 'Apple', model: 'iPhone' })
  for (const metadata of ['none', 'date'] as const) {
    const origin = chooseOrigin(wish(metadata), munich, { now: NOW })
    assert.equal([origin.place, origin.maker, origin.model], [undefined, undefined, undefined])
  }
})

test.run()
