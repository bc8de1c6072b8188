import { concatBytes } from '#core/bytes'
import { mayLackCoverTime, photoForm, photoSettings } from '#core/media/api/photoFields'
import { outputFiles } from '#core/media/convert/outputFiles'
import { NO_PICTURES } from '#core/media/prepare/receiveSource'
import { ORIGIN } from '#support/media/prepared'
import { assert, suite } from '#support/runner/suite'
import { refusalOf } from '#support/values/failures'
import { baselineJpeg } from '../../formats/motionPhoto/sampleJpeg'
import { sampleParts } from '../../formats/motionPhoto/sampleParts'

const test = suite('the fields of a photo')
const TIMES = { range_start: '1', range_end: '4', cover_time: ' 2 ', speed: '1' }
const form = photoForm('the preview')

function settings(fields: Readonly<Record<string, string>> = {}, pictures = NO_PICTURES) {
  const all = { ...TIMES, ...fields }
  return photoSettings(form.parse(all), new Map(Object.entries(all)), pictures)
}

/** What is said of fields that do not fit together. */
const refusal = (...request: Parameters<typeof settings>) => refusalOf(() => settings(...request)) ?? 'none'

test('a cover is asked for in one way, and has a gain map only of the video', () => {
  const coverFile = { ...NO_PICTURES, coverFile: baselineJpeg }
  assert.match(refusal({ cover: 'source' }, coverFile), /^unprocessable: cover=source and cover_file exclude/)
  assert.match(refusal({ hdr: 'true', profile: 'apple' }), /hdr=true and profile=apple exclude/)
  assert.match(refusal({ hdr: 'true', cover: 'source' }, coverFile), /hdr=true, cover=source and cover_file/)
  assert.is(refusal({ hdr: 'true' }), 'none')
  assert.is(refusal({ profile: 'apple' }, coverFile), 'none')
  const unknown = refusal({}, { ...NO_PICTURES, coverFile: Uint8Array.of(1) })
  assert.match(unknown, /^unsupported-media: .*cover_file/)
})

test('a wallpaper is of an iPhone', () => {
  for (const profile of ['universal', 'all'])
    assert.match(
      refusal({ wallpaper: 'true', profile }),
      /^unprocessable: wallpaper=true needs profile=apple/,
    )
  assert.is(settings({ wallpaper: '1', profile: 'iphone' }).wallpaper, true)
})

test('a donor decides the phone, and the profile where none is named', () => {
  const { name } = ORIGIN
  const files = outputFiles('google', { ...sampleParts, name, maker: 'OnePlus', model: 'PJZ110' })
  const pictures = { ...NO_PICTURES, donor: concatBytes(files.map(({ bytes }) => bytes)) }
  assert.is(settings({}, pictures).origin.phone?.model, 'PJZ110')
  assert.is(settings({}, pictures).profile, 'google')
  assert.is(settings({ profile: 'universal' }, pictures).profile, 'universal')
})

test('only a cover from the source says its own moment', () => {
  assert.is(mayLackCoverTime(new Map([['cover', ' source ']])), true)
  assert.is(mayLackCoverTime(new Map([['cover', 'time']])), false)
  assert.is(mayLackCoverTime(new Map()), false)
})

test.run()
