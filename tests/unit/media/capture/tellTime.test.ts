import { wallClock } from '@lantern-room/formats'
import { isoTime, parseMoment, timeInName } from '@lantern-room/formats/time'
import type { PhotoClocks } from '@lantern-room/formats/video'
import { tellTime } from '#internal/media/capture/tellTime'
import type { CaptureTime, HeaderClock, VideoClocks } from '#internal/media/traits'
import { assert, suite } from '#support/runner/suite'

const test = suite('the one rule for clocks')

/** A text as a time: local without an offset, a moment with a Z. */
function timeOf(text: string): CaptureTime {
  const moment = parseMoment(text)
  if (!moment) throw new Error(`${text} is no time`)
  if (text.endsWith('Z')) return { unixMs: moment.unixMs, offsetMinutes: undefined }
  return moment.offsetMinutes === undefined ? { ...moment, isLocal: true } : moment
}

type Case = {
  what: string
  photo?: string
  moment?: string
  satellites?: string
  told?: string
  header?: string
  writer?: HeaderClock['writer']
  offset?: number
  seconds?: number
  name?: string
  /** As a time, what says it and what says its offset. */
  is: readonly [time: string, from: string, zone?: string] | undefined
}

function shown({ photo, moment, satellites, told, header, writer = 'other', ...rest }: Case) {
  const msOf = (text: string | undefined) => (text === undefined ? undefined : timeOf(text).unixMs)
  const photoClocks: PhotoClocks = {
    time: photo === undefined ? undefined : timeOf(photo),
    moment: msOf(moment),
    satellites: msOf(satellites),
  }
  const unixMs = msOf(header)
  const video: VideoClocks = {
    told: told === undefined ? undefined : timeOf(told),
    header: unixMs === undefined ? undefined : { unixMs, writer },
    offsetMinutes: rest.offset,
    seconds: rest.seconds ?? 3,
  }
  const name = timeInName(rest.name ?? '', Date.UTC(2026, 0, 1))
  const found = tellTime({ photo: photoClocks, video, name })
  if (!found) return undefined
  const { time, timeFrom, zoneFrom } = found
  const clock = isoTime(wallClock(new Date(time.unixMs), time.offsetMinutes ?? 0))
  const text = time.isDay
    ? clock.slice(0, 10)
    : time.isLocal
      ? clock.slice(0, 19)
      : time.offsetMinutes === undefined
        ? `${clock.slice(0, 19)}Z`
        : clock
  return zoneFrom === undefined ? [text, timeFrom] : [text, timeFrom, zoneFrom]
}

const NAMED = '20240114_153012.mp4'

const cases: readonly Case[] = [
  { what: 'nothing of nothing', is: undefined },

  // Photos.
  {
    what: "a photo's own clock with its offset",
    photo: '2024-01-14T15:30:00+02:00',
    header: '2024-01-14T13:30:02Z',
    name: NAMED,
    is: ['2024-01-14T15:30:00+02:00', 'photo', 'photo'],
  },
  { what: "a photo's own clock", photo: '2024-01-14T15:30:00', is: ['2024-01-14T15:30:00', 'photo'] },
  {
    what: "a photo's own clock, with the zone in which the header shows that moment",
    photo: '2024-01-14T15:30:00',
    header: '2024-01-14T13:30:02Z',
    is: ['2024-01-14T15:30:00+02:00', 'photo', 'compared'],
  },
  {
    what: "a photo's own clock west of Greenwich, over midnight, by the end",
    photo: '2024-01-14T20:30:00',
    header: '2024-01-15T00:00:03Z',
    writer: 'android',
    is: ['2024-01-14T20:30:00-03:30', 'photo', 'compared'],
  },
  {
    what: "a photo's own clock where the header is of another time",
    photo: '2024-01-14T15:30:00',
    header: '2024-01-14T13:37:00Z',
    is: ['2024-01-14T15:30:00', 'photo'],
  },
  {
    what: "a photo's own clock where the header is days away",
    photo: '2024-01-14T15:30:00',
    header: '2024-01-16T15:30:00Z',
    is: ['2024-01-14T15:30:00', 'photo'],
  },
  {
    what: 'no zone where header and photo show the same: the camera may know none',
    photo: '2024-01-14T15:30:00',
    header: '2024-01-14T15:30:00Z',
    is: ['2024-01-14T15:30:00', 'photo'],
  },
  {
    what: "Greenwich, where the header is Android's",
    photo: '2024-01-14T15:30:00',
    header: '2024-01-14T15:30:02Z',
    writer: 'android',
    is: ['2024-01-14T15:30:00+00:00', 'photo', 'compared'],
  },
  {
    what: 'no zone by a header of a camera that knows none',
    photo: '2024-01-14T15:30:00',
    header: '2024-01-14T13:30:00Z',
    writer: 'local',
    is: ['2024-01-14T15:30:00', 'photo'],
  },
  {
    what: "a photo's own clock with the zone of Apple's video",
    photo: '2024-01-14T15:30:01',
    told: '2024-01-14T15:30:00+05:45',
    is: ['2024-01-14T15:30:01+05:45', 'photo', 'video'],
  },
  {
    what: "a photo's own clock without the zone of another video",
    photo: '2024-01-14T15:30:01',
    told: '2024-01-14T18:30:00+05:45',
    is: ['2024-01-14T15:30:01', 'photo'],
  },
  {
    what: "a photo's own clock with Samsung's zone",
    photo: '2024-01-14T15:30:12',
    header: '2024-01-14T06:30:15Z',
    writer: 'android',
    offset: 540,
    is: ['2024-01-14T15:30:12+09:00', 'photo', 'video'],
  },
  {
    what: "a photo's own clock with the zone by Samsung's moment",
    photo: '2024-01-14T15:30:12',
    moment: '2024-01-14T10:00:12.345Z',
    is: ['2024-01-14T15:30:12+05:30', 'photo', 'compared'],
  },
  {
    what: "a photo's own clock with the zone by satellites, a little before",
    photo: '2024-01-14T15:30:12',
    satellites: '2024-01-14T06:29:40Z',
    is: ['2024-01-14T15:30:12+09:00', 'photo', 'compared'],
  },
  {
    what: "a photo's own clock where satellites were last seen at lunch",
    photo: '2024-01-14T15:30:12',
    satellites: '2024-01-14T03:11:40Z',
    is: ['2024-01-14T15:30:12', 'photo'],
  },
  {
    what: "a photo's own clock with the zone by a Pixel's name",
    photo: '2024-01-14T15:30:12',
    name: 'PXL_20240114_063012345.MP.jpg',
    is: ['2024-01-14T15:30:12+09:00', 'photo', 'compared'],
  },
  { what: "Samsung's moment alone", moment: '2024-01-14T06:30:12Z', is: ['2024-01-14T06:30:12Z', 'photo'] },
  {
    what: 'the time of satellites last',
    satellites: '2024-01-14T06:30:12Z',
    name: 'VID-20240114-WA0001.mp4',
    is: ['2024-01-14T06:30:12Z', 'photo'],
  },

  // Videos.
  {
    what: "Apple's creation date",
    told: '2024-01-14T15:30:12+09:00',
    header: '2024-01-14T06:31:00Z',
    name: 'VID_20240114_160000.mp4',
    is: ['2024-01-14T15:30:12+09:00', 'video', 'video'],
  },
  {
    what: 'a header as the beginning',
    header: '2024-01-14T06:30:15Z',
    is: ['2024-01-14T06:30:15Z', 'video'],
  },
  {
    what: "Android's header as the end",
    header: '2024-01-14T06:30:15Z',
    writer: 'android',
    is: ['2024-01-14T06:30:12Z', 'video'],
  },
  {
    what: "Android's header of a file that says an absurd length",
    header: '2024-01-14T06:30:15Z',
    writer: 'android',
    seconds: 2 ** 53,
    is: ['2024-01-14T06:30:15Z', 'video'],
  },
  {
    what: "Samsung's header in its zone",
    header: '2024-01-14T06:30:15Z',
    writer: 'android',
    offset: 540,
    is: ['2024-01-14T15:30:12+09:00', 'video', 'video'],
  },
  {
    what: 'the local clock of a camera that knows no zones',
    header: '2024-01-14T15:30:12Z',
    writer: 'local',
    name: 'GX010123.MP4',
    is: ['2024-01-14T15:30:12', 'video'],
  },

  // Names with headers.
  { what: 'a name', name: NAMED, is: ['2024-01-14T15:30:12', 'name'] },
  { what: "a Pixel's name", name: 'PXL_20240114_063012345.mp4', is: ['2024-01-14T06:30:12Z', 'name'] },
  {
    what: 'an offset in a name',
    name: '2024-01-14T15:30:12+0900.mp4',
    is: ['2024-01-14T15:30:12+09:00', 'name', 'name'],
  },
  {
    what: "a name with Samsung's zone",
    name: NAMED,
    header: '2024-01-14T06:30:15Z',
    writer: 'android',
    offset: 540,
    is: ['2024-01-14T15:30:12+09:00', 'name', 'video'],
  },
  {
    what: 'a name with the zone by the end',
    name: 'VID_20240114_153012.mp4',
    header: '2024-01-14T14:30:15Z',
    is: ['2024-01-14T15:30:12+01:00', 'name', 'compared'],
  },
  {
    what: 'a name with the zone by the beginning',
    name: 'VID_20240114_153012.mp4',
    header: '2024-01-14T14:30:12Z',
    is: ['2024-01-14T15:30:12+01:00', 'name', 'compared'],
  },
  {
    what: 'a name with the zone by a file that was finished seconds later',
    name: '20210623_145059.mp4',
    header: '2021-06-23T18:51:37Z',
    seconds: 36.89,
    is: ['2021-06-23T14:50:59-04:00', 'name', 'compared'],
  },
  {
    what: 'a name of half an hour, with the zone by the end',
    name: NAMED,
    header: '2024-01-14T07:00:12Z',
    seconds: 1800,
    writer: 'android',
    is: ['2024-01-14T15:30:12+09:00', 'name', 'compared'],
  },
  {
    what: 'no zone of an hour, whose header may be the beginning or the end',
    name: NAMED,
    header: '2024-01-14T07:30:12Z',
    seconds: 3600,
    is: ['2024-01-14T15:30:12', 'name'],
  },
  {
    what: 'a name without a zone where the header differs by no quarters',
    name: NAMED,
    header: '2024-01-14T14:47:33Z',
    is: ['2024-01-14T15:30:12', 'name'],
  },
  {
    what: 'a name without a zone where the header shows the same',
    name: 'DJI_20240114153012_0001_D.MP4',
    header: '2024-01-14T15:30:12Z',
    is: ['2024-01-14T15:30:12', 'name'],
  },
  {
    what: "a name in Samsung's zone, of a recording with pauses",
    name: NAMED,
    header: '2024-01-14T06:50:00Z',
    writer: 'android',
    offset: 540,
    is: ['2024-01-14T15:30:12+09:00', 'name', 'video'],
  },
  {
    what: 'a header that is days after the name',
    name: NAMED,
    header: '2024-03-01T10:00:00Z',
    is: ['2024-03-01T10:00:00Z', 'video'],
  },
  {
    what: 'the header of a video that came with a message later',
    name: 'WhatsApp Video 2024-01-14 at 15.30.12.mp4',
    header: '2024-01-14T13:02:44Z',
    is: ['2024-01-14T13:02:44Z', 'video'],
  },
  {
    what: 'the zone by the name of a message that came at once',
    name: 'WhatsApp Video 2024-01-14 um 15.30.12.mp4',
    header: '2024-01-14T14:30:12Z',
    is: ['2024-01-14T15:30:12+01:00', 'name', 'compared'],
  },
  {
    what: "a Pixel's name, to the millisecond, before its end",
    name: 'PXL_20240114_063012345.mp4',
    header: '2024-01-14T06:30:15Z',
    writer: 'android',
    is: ['2024-01-14T06:30:12Z', 'name'],
  },
  {
    what: "a Pixel's name of a file with a new header",
    name: 'PXL_20240114_063012345.mp4',
    header: '2024-02-14T06:30:15Z',
    is: ['2024-02-14T06:30:15Z', 'video'],
  },

  // Days.
  { what: 'a day alone', name: 'VID-20240114-WA0001.mp4', is: ['2024-01-14', 'name'] },
  {
    what: 'the header rather than a day',
    name: 'VID-20240114-WA0001.mp4',
    header: '2024-01-14T13:02:44Z',
    is: ['2024-01-14T13:02:44Z', 'video'],
  },
]

for (const one of cases) test(`tells ${one.what}`, () => assert.equal(shown(one), one.is))

test('finds every zone of the earth, and none between two', () => {
  const localMs = Date.UTC(2024, 0, 14, 15, 30, 12)
  for (let minutes = -12 * 60; minutes <= 14 * 60; minutes += 15) {
    const end = localMs - minutes * 60_000 + 3000
    const told = (later: number) =>
      tellTime({
        photo: undefined,
        video: { header: { unixMs: end + later, writer: 'android' }, seconds: 3 },
        name: timeInName(NAMED, Date.UTC(2026, 0, 1)),
      })?.time.offsetMinutes
    assert.is(told(0), minutes)
    assert.is(told(7 * 60_000), undefined)
  }
})

test.run()
