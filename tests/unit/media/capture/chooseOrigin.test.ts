import { isoTime, parseMoment } from '@lantern-room/formats/time'
import {
  type Circumstances,
  type CoverMoment,
  chooseOrigin,
  type OriginWish,
} from '#internal/media/capture/chooseOrigin'
import { type Capture, UNKNOWN_CAPTURE } from '#internal/media/traits'
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

/** A cover so many seconds into the video. */
const at = (seconds: number, stillSeconds?: number): CoverMoment => ({
  plan: { startFrame: 0, sourceFrames: 90, coverFrame: Math.round(seconds * 30) },
  firstFrame: 0,
  isOwn: false,
  stillSeconds,
})
const BEGINNING = at(0)
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
    const origin = chooseOrigin(wish, capture, { now: NOW, cover: BEGINNING, ...circumstances })
    assert.is(origin.takenAt && isoTime(origin.takenAt), takenAt)
    assert.is(isoTime(origin.namedAt), takenAt ?? '2026-11-22T16:00:00+00:00')
  })
}

const DIGITS = 'IMG_1234.MOV'
const wanted = (timeZone?: string): OriginWish => ({ metadata: 'date', capturedAt: undefined, timeZone })
const taken = (capture: Capture, circumstances: Partial<Circumstances>, timeZone?: string) => {
  const { takenAt, dateFrom } = chooseOrigin(wanted(timeZone), capture, {
    now: NOW,
    cover: BEGINNING,
    ...circumstances,
  })
  return takenAt && [isoTime(takenAt), takenAt.millisecond, dateFrom]
}
const local = (text: string): Capture => ({
  ...UNKNOWN_CAPTURE,
  time: { unixMs: Date.parse(`${text}Z`), offsetMinutes: undefined, isLocal: true },
  timeFrom: 'name',
})

test('the cover is later than the recording by its second, over the ends of years and summers', () => {
  const newYear: Capture = {
    ...munich,
    time: { unixMs: Date.UTC(2023, 11, 31, 23, 59, 59), offsetMinutes: 0 },
  }
  assert.equal(taken(newYear, { cover: at(2.533) }), ['2024-01-01T00:00:01+00:00', 533, 'video'])
  const summer: Capture = {
    ...utc,
    time: { unixMs: Date.UTC(2024, 2, 31, 0, 59, 59), offsetMinutes: undefined },
  }
  assert.equal(taken(summer, { cover: at(2) }, 'Europe/Berlin'), ['2024-03-31T03:00:01+02:00', 0, 'video'])
  const night = local('2024-03-31T01:59:59')
  assert.equal(taken(night, { cover: at(2) }, 'Europe/Berlin'), ['2024-03-31T03:00:01+02:00', 0, 'name'])
  assert.equal(taken(night, { cover: at(2) }), ['2024-03-31T02:00:01', 0, 'name'], 'no zone is known')
  assert.equal(taken(night, { localZone: () => -300, cover: at(2) }), ['2024-03-31T02:00:01', 0, 'name'])
  assert.equal(taken(UNKNOWN_CAPTURE, { cover: at(2) })?.[2], 'now')
  assert.equal(taken(UNKNOWN_CAPTURE, { fileTime: FILE_TIME, cover: at(2) }), [
    '2025-01-01T12:00:02+00:00',
    0,
    'file',
  ])
})

test('a day alone is the date of no photo, unless its file was changed on that day', () => {
  const unixMs = Date.UTC(2024, 0, 14)
  const day: Capture = {
    ...UNKNOWN_CAPTURE,
    time: { unixMs, offsetMinutes: undefined, isLocal: true, isDay: true },
    timeFrom: 'name',
    fileName: 'VID-20240114-WA0001.mp4',
  }
  assert.is(taken(day, {}), undefined)
  assert.is(taken(day, { fileTime: FILE_TIME }), undefined)
  const localZone = () => -300
  const evening = unixMs + 26 * 3600_000
  assert.equal(taken(day, { fileTime: evening, localZone }), ['2024-01-14T21:00:00-05:00', 0, 'file'])
  assert.is(taken(day, { fileTime: unixMs, localZone }), undefined, 'the day before there')
  const { name } = chooseOrigin(wanted(), day, { now: NOW, cover: at(0.3) })
  assert.is(name, 'VID-20240114-WA0001_300ms')
})

test('what says the offset is told', () => {
  const zoneFrom = (
    wish: Partial<OriginWish>,
    capture: Capture,
    circumstances: Partial<Circumstances> = {},
  ) =>
    chooseOrigin({ ...wanted(), ...wish }, capture, { now: NOW, cover: BEGINNING, ...circumstances }).zoneFrom
  const night = local('2024-03-31T01:59:59')
  const given = { capturedAt: parseMoment('2020-07-03T04:05:06') }
  assert.is(zoneFrom({}, munich), 'video')
  assert.is(zoneFrom({}, { ...munich, zoneFrom: 'compared' }), 'compared')
  assert.is(zoneFrom({ timeZone: 'Asia/Tokyo' }, munich), 'request')
  assert.is(zoneFrom({}, utc), 'utc')
  assert.is(zoneFrom({}, utc, machine), 'machine')
  assert.is(zoneFrom({}, night, machine), undefined)
  assert.is(zoneFrom({ timeZone: 'Asia/Tokyo' }, night), 'request')
  assert.is(zoneFrom(given, munich), undefined)
  assert.is(zoneFrom(given, munich, machine), 'machine')
  assert.is(zoneFrom({}, UNKNOWN_CAPTURE, machine), 'machine')
})

test('the time of a photo is that of its still', () => {
  const photo: Capture = { ...munich, timeFrom: 'photo' }
  assert.equal(taken(photo, { cover: at(1.5, 1.48) }), ['2024-05-06T09:08:09+02:00', 0, 'photo'])
  assert.equal(taken(photo, { cover: at(0.5, 1.5) }), ['2024-05-06T09:08:08+02:00', 0, 'photo'])
  assert.equal(taken(photo, { cover: at(0.5) }), ['2024-05-06T09:08:09+02:00', 500, 'photo'])
  const own = { ...at(0.5), isOwn: true }
  assert.equal(taken(photo, { cover: own }), ['2024-05-06T09:08:09+02:00', 0, 'photo'], 'its own picture')
  assert.equal(taken(munich, { cover: own }), ['2024-05-06T09:08:09+02:00', 500, 'video'])
})

test('a photo is called as its video; with the moment, unless it is the middle of a range from the beginning', () => {
  const named = (frames: readonly [number, number, number], fileName = DIGITS, firstFrame = 0) => {
    const [startFrame, sourceFrames, coverFrame] = frames
    const plan = { startFrame, sourceFrames, coverFrame }
    const cover = { plan, firstFrame, stillSeconds: undefined, isOwn: false }
    return chooseOrigin(wanted(), { ...utc, fileName }, { now: NOW, cover }).name
  }
  assert.is(named([0, 90, 45]), 'IMG_1234')
  assert.is(named([0, 45, 22]), 'IMG_1234')
  assert.is(named([0, 90, 30]), 'IMG_1234_1000ms')
  assert.is(named([60, 30, 76]), 'IMG_1234_2533ms')
  assert.is(named([0, 30, 15], DIGITS, 300), 'IMG_1234_10500ms')
  assert.is(named([60, 30, 75], 'blob'), 'IMG_20240506_070811')
  const own = { ...at(0.3), isOwn: true }
  assert.is(
    chooseOrigin(wanted(), { ...utc, fileName: 'PXL_1.MP.jpg' }, { now: NOW, cover: own }).name,
    'PXL_1',
  )
  const none = chooseOrigin(
    { ...wanted(), metadata: 'none' },
    { ...utc, fileName: 'VID_20240506.mp4' },
    { now: NOW, cover: own },
  )
  assert.equal([none.name, none.dateFrom], ['IMG_20261122_160000', undefined])
})

test('place, maker and model are told only on request', () => {
  const wish = (metadata: OriginWish['metadata']) => ({ ...NO_WISH, metadata })
  const { place, maker, model } = chooseOrigin(wish('all'), munich, { now: NOW, cover: BEGINNING })
  assert.equal({ place, maker, model }, { place: munich.place, maker: 'Apple', model: 'iPhone' })
  for (const metadata of ['none', 'date'] as const) {
    const origin = chooseOrigin(wish(metadata), munich, { now: NOW, cover: BEGINNING })
    assert.equal([origin.place, origin.maker, origin.model], [undefined, undefined, undefined])
  }
})

test.run()
