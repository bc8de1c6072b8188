import { readFile } from 'node:fs/promises'
import { readMovie } from '@lantern-room/mp4'
import sharp from 'sharp'
import * as assert from 'uvu/assert'
import { readMotionPhoto } from '#support/media/readMotionPhoto'
import { equalBytes } from '#support/values/equalBytes'
import { zipEntries } from '#support/values/zipEntries'
import { BEARER, type Contract } from './contract'
import {
  bytesOf,
  type ConvertFields,
  convert,
  formOf,
  jsonOf,
  multipart,
  type Prepared,
  post,
  postJson,
  prepared,
  refused,
  uploaded,
} from './requests'

type Inspected = {
  readonly format: string
  readonly content_identifier: string | null
  readonly presentation_timestamp_us: number | null
}

function fieldsOf({ session_id }: Prepared, changes: ConvertFields): ConvertFields {
  const fields = { session_id, range_start: '0.5', range_end: '1.5', cover_time: '1', speed: '1' }
  return { ...fields, ...changes }
}

/** What a client is answered, whatever it chose. */
export function convertAnswerCases({ test, open, session }: Contract): void {
  const fields = (changes: ConvertFields = {}) => fieldsOf(session(), changes)

  test('POST /convert answers a motion photo with its name, length and no-store', async () => {
    const response = await convert(open(), fields())
    const photo = await bytesOf(response)
    assert.is(response.status, 200, Buffer.from(photo).toString())
    assert.is(response.headers.get('Content-Type'), 'image/jpeg')
    assert.is(response.headers.get('Content-Length'), String(photo.length))
    assert.is(response.headers.get('Cache-Control'), 'no-store')
    assert.is(response.headers.get('X-Content-Type-Options'), 'nosniff')
    const name = /^attachment; filename="IMG_(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)(\d\d)_MP\.jpg"$/.exec(
      response.headers.get('Content-Disposition') ?? '',
    )
    assert.ok(name, String(response.headers.get('Content-Disposition')))
    const [, year, month, day, hour, minute, second] = (name ?? []).map(Number)
    const named = Date.UTC(year ?? 0, (month ?? 0) - 1, day, hour, minute, second)
    // Less than any time zone is away.
    assert.ok(Math.abs(named - Date.now()) < 14 * 60_000)
    const { format, width, height } = await sharp(photo, { failOn: 'warning' }).metadata()
    assert.equal({ format, width, height }, { format: 'jpeg', width: 320, height: 240 })
    assert.equal(clipOf(photo), { frames: 30, sound: true, presentationUs: 500_000 })
  })

  test('a multipart form does as well', async () => {
    const response = await post(open(), '/convert', formOf(undefined, '', fields()))
    assert.is(response.status, 200)
    assert.is(clipOf(await bytesOf(response)).frames, 30)
  })

  test('the session stays: it is converted again and again', async () => {
    for (const range_end of ['0.8', '0.9']) {
      const photo = await bytesOf(await convert(open(), fields({ range_end })))
      assert.is(clipOf(photo).frames, Math.round((Number(range_end) - 0.5) * 30))
    }
    assert.is((await open().send(`/sessions/${session().session_id}`)).status, 200)
  })
}

export function convertCases(contract: Contract): void {
  convertAnswerCases(contract)
  const { test, open, guarded, clips, session } = contract
  const fields = (changes: ConvertFields = {}) => fieldsOf(session(), changes)
  const without = (name: string): ConvertFields =>
    Object.fromEntries(Object.entries(fields()).filter(([field]) => field !== name))

  test('speed scales the clip, and where in it the cover lies, from 0.1 to 10', async () => {
    const cases: readonly [ConvertFields, number, number][] = [
      [{ range_start: '0.5', range_end: '1.5', cover_time: '1', speed: '0.1' }, 30, 5_000_000],
      [{ range_start: '0', range_end: '2', cover_time: '1', speed: '10' }, 6, 100_000],
      [{ range_start: '0.5', range_end: '1.5', cover_time: '1', speed: '.5e0' }, 30, 1_000_000],
    ]
    for (const [changes, frames, presentationUs] of cases) {
      const response = await convert(open(), fields(changes))
      assert.is(response.status, 200)
      assert.equal(clipOf(await bytesOf(response)), { frames, sound: true, presentationUs })
    }
  })

  test('mute leaves the sound out', async () => {
    for (const [mute, sound] of Object.entries({ True: false, '0': true, False: true }))
      assert.is(clipOf(await bytesOf(await convert(open(), fields({ mute })))).sound, sound, mute)
    for (const mute of ['yes', 'TRUE', '', '2'])
      await refused(convert(open(), fields({ mute })), 422, /^mute /)
  })

  test('hdr=true says why a video of standard range has no gain map', async () => {
    const response = await convert(open(), fields({ hdr: 'true' }))
    assert.is(response.headers.get('X-Ultra-HDR'), 'standard-range')
    await bytesOf(response)
    const plain = await convert(open(), fields())
    assert.is(plain.headers.get('X-Ultra-HDR'), null)
    await bytesOf(plain)
    await refused(convert(open(), fields({ hdr: 'yes' })), 422, /^hdr must be true or false/)
  })

  test('wallpaper=true wants a profile and a length of its own', async () => {
    const ask = (change: Readonly<Record<string, string>>) =>
      convert(open(), fields({ wallpaper: 'true', ...change }))
    await refused(ask({}), 422, /^wallpaper=true needs profile=apple/)
    const tooShort = { profile: 'apple', range_start: '0', range_end: '1' }
    await refused(ask(tooShort), 400, /^wallpaper=true needs a clip of 1\.5 to 2 s.*range_end/)
  })

  test('quality=source gives the original its own pictures, where that can be, and says so', async () => {
    const qualityOf = ({ headers }: Response) => [
      headers.get('X-Clip-Quality'),
      headers.get('X-Clip-Quality-Reason'),
    ]
    const preview = await convert(open(), fields())
    assert.equal(qualityOf(preview), ['preview', null])
    await bytesOf(preview)
    const source = await convert(open(), fields({ quality: 'source' }))
    assert.is(qualityOf(source)[0], 'source')
    assert.ok(clipOf(await bytesOf(source)).frames >= 30)
    const whole = { range_start: '0', range_end: '2', speed: '9', quality: 'source' }
    const fast = await convert(open(), fields(whole))
    assert.equal(qualityOf(fast), ['preview', 'speed'])
    await bytesOf(fast)
    for (const quality of ['best', '', 'auto'])
      await refused(convert(open(), fields({ quality })), 422, /^quality must be preview or source/)
  })

  test('the profile decides for whose galleries the file is', async () => {
    for (const [profile, samsung, micro] of [
      ['universal', true, false],
      ['google', false, false],
      ['legacy', true, true],
      ['huawei', false, false],
    ] as const) {
      const photo = await bytesOf(await convert(open(), fields({ profile })))
      assert.is(readMotionPhoto(photo)?.samsung !== undefined, samsung, profile)
      assert.is(readMotionPhoto(photo)?.huawei?.coverFrame, profile === 'huawei' ? 15 : undefined, profile)
      assert.is(Buffer.from(photo).includes('MicroVideo'), micro, profile)
    }
    for (const profile of ['Google', 'nokia', '', '__proto__'])
      await refused(convert(open(), fields({ profile })), 422, /^profile must be one of/)
  })

  test('apple and all are a ZIP, which inspect takes', async () => {
    for (const [profile, count] of Object.entries({ apple: 2, all: 6 })) {
      const response = await convert(open(), fields({ profile }))
      const zip = Buffer.from(await bytesOf(response))
      assert.is(response.status, 200, zip.toString())
      assert.is(response.headers.get('Content-Type'), 'application/zip')
      assert.is(response.headers.get('Content-Length'), String(zip.length))
      assert.is(response.headers.get('X-Clip-Quality'), 'preview')
      assert.match(
        response.headers.get('Content-Disposition') ?? '',
        /^attachment; filename="IMG_\d{8}_\d{6}\.zip"$/,
      )
      assert.is(zipEntries(zip).length, count)
      const inspected = await post(open(), '/inspect', formOf(zip))
      const { format, content_identifier, presentation_timestamp_us } = await jsonOf<Inspected>(inspected)
      assert.is(format, 'live-photo')
      assert.match(content_identifier ?? '', /^[0-9A-F-]{36}$/)
      assert.is(presentation_timestamp_us, 500_000)
      const repaired = await post(open(), '/repair', formOf(zip))
      equalBytes(await bytesOf(repaired), new Uint8Array(zip))
    }
  })

  test('a photo has the time of the recording, in EXIF and in its name, unless another one is given', async () => {
    const { session_id, captured_at } = await prepared(open(), clips().silent)
    assert.is(captured_at, '2024-05-06T07:08:09Z')
    const short = { session_id, range_start: '0', range_end: '0.5', cover_time: '0.2' }
    for (const [changes, time, offset, name] of [
      [{}, '2024:05:06 07:08:09', '+00:00', 'IMG_20240506_070809_MP.jpg'],
      [{ time_zone: 'Asia/Tokyo' }, '2024:05:06 16:08:09', '+09:00', 'IMG_20240506_160809_MP.jpg'],
      [
        { captured_at: '2020-02-03T04:05:06-03:00', metadata: 'all' },
        '2020:02:03 04:05:06',
        '-03:00',
        'IMG_20200203_040506_MP.jpg',
      ],
      [
        { captured_at: '2020-02-03T04:05:06' },
        '2020:02:03 04:05:06',
        undefined,
        'IMG_20200203_040506_MP.jpg',
      ],
      [{ metadata: 'none' }, undefined, undefined, undefined],
    ] as const) {
      const response = await convert(open(), fields({ ...short, ...changes }))
      const { exif } = readMotionPhoto(await bytesOf(response)) ?? {}
      assert.equal([exif?.dateTimeOriginal, exif?.offsetTime], [time, offset])
      const disposition = response.headers.get('Content-Disposition')
      if (name) assert.is(disposition, `attachment; filename="${name}"`)
    }
  })

  test('a photo is called as the video that was sent, in any letters, and tells where its time is from', async () => {
    const form = new FormData()
    const video = await readFile('tests/fixtures/media/dated-video.mp4')
    form.append('file', new Blob([new Uint8Array(video)]), 'Über "uns";\r\nX: y.mp4')
    const { session_id } = await jsonOf<Prepared>(await post(open(), '/prepare', form))
    for (const [profile, ending] of Object.entries({ universal: '_MP.jpg', iPhone: '.zip' })) {
      const range = { range_start: '0', range_end: '1', cover_time: '0.5' }
      const response = await convert(open(), fields({ session_id, ...range, profile }))
      await bytesOf(response)
      assert.is(response.headers.get('X-Taken-At-From'), 'video')
      assert.is(response.headers.get('X-Time-Zone-From'), 'utc')
      assert.is(
        response.headers.get('Content-Disposition'),
        `attachment; filename="_ber _uns_;__X_ y${ending}"; filename*=UTF-8''%C3%9Cber%20_uns_%3B__X_%20y${ending}`,
      )
    }
    const upload_id = await uploaded(open(), clips().talking)
    const order = { upload_id, file_name: 'VID-20230114-WA0007.mp4' }
    const { captured_at } = await jsonOf<Prepared>(await postJson(open(), '/prepare', order))
    assert.is(captured_at, '2023-01-14', 'the name of an upload')
  })

  test('a name and a header tell the zone together, and a day alone is no time', async () => {
    const silent = clips().silent
    for (const [file_name, ...told] of [
      ['VID_20240506_090808.mp4', '2024-05-06T09:08:08+02:00', '2024:05:06 09:08:08', '+02:00', 'compared'],
      ['PXL_20240506_070808000.mp4', '2024-05-06T07:08:08Z', '2024:05:06 07:08:08', '+00:00', 'utc'],
      ['VID-20240506-WA0007.mp4', '2024-05-06T07:08:09Z', '2024:05:06 07:08:09', '+00:00', 'utc'],
    ] as const) {
      const upload_id = await uploaded(open(), silent)
      const session = await jsonOf<Prepared>(await postJson(open(), '/prepare', { upload_id, file_name }))
      const { session_id, captured_at } = session
      const range = { range_start: '0', range_end: '0.5', cover_time: '0' }
      const response = await convert(open(), fields({ session_id, ...range }))
      const { exif } = readMotionPhoto(await bytesOf(response)) ?? {}
      const from = response.headers.get('X-Time-Zone-From')
      assert.equal([captured_at, exif?.dateTimeOriginal, exif?.offsetTime, from], told, file_name)
    }
    const upload_id = await uploaded(open(), clips().talking)
    const order = { upload_id, file_name: 'VID-20230114-WA0007.mp4' }
    const { session_id } = await jsonOf<Prepared>(await postJson(open(), '/prepare', order))
    const range = { range_start: '0', range_end: '0.5', cover_time: '0' }
    const response = await convert(open(), fields({ session_id, ...range }))
    const { exif } = readMotionPhoto(await bytesOf(response)) ?? {}
    assert.equal([exif?.dateTimeOriginal, response.headers.get('X-Taken-At-From')], [undefined, null])
  })

  test('what is no date, no zone and no choice is 422', async () => {
    for (const [changes, detail] of [
      [{ metadata: 'gps' }, /^metadata must be one of none, date, all/],
      [{ captured_at: 'yesterday' }, /^captured_at must be a date and a time/],
      [{ captured_at: '2024-02-30T00:00:00Z' }, /^captured_at must be/],
      [{ time_zone: 'Mars/Olympus' }, /^time_zone must be an offset from UTC/],
      [{ metadata: 'none', captured_at: '2024-02-03T00:00:00Z' }, /^captured_at is not written/],
    ] as const)
      await refused(convert(open(), fields(changes)), 422, detail)
  })

  test('a range, cover or speed out of its bounds is 400 and names the field', async () => {
    const cases: readonly [ConvertFields, RegExp][] = [
      [{ range_start: '-0.001' }, /range_start/],
      [{ range_end: '2.05' }, /range_end .*2\.000/],
      [{ range_start: '1.6', range_end: '1.5' }, /range_start/],
      [{ range_start: '1', range_end: '1.09' }, /0\.1 s/],
      [{ speed: '0.09' }, /speed .*0\.1 to 10/],
      [{ speed: '10.1' }, /speed/],
      [{ cover_time: '-0.1' }, /cover_time/],
    ]
    for (const [changes, words] of cases) await refused(convert(open(), fields(changes)), 400, words)
  })

  test('a clip longer than allowed is 400, at whatever speed it gets so long', async () => {
    const init = { headers: BEARER }
    const { session_id } = await prepared(guarded(), clips().talking, init)
    const ask = (changes: ConvertFields) =>
      convert(guarded(), fields({ session_id, range_start: '0', ...changes }), init)
    await refused(ask({ range_end: '1.2' }), 400, /at most 1 s/)
    await refused(ask({ range_end: '0.8', speed: '0.5', cover_time: '0' }), 400, /1\.6 s.*at most 1 s/)
    const photo = await bytesOf(await ask({ range_end: '2', speed: '2' }))
    assert.is(clipOf(photo).frames, 60)
  })

  test('a missing field is 422 and is named', async () => {
    for (const name of Object.keys(fields())) {
      await refused(convert(open(), without(name)), 422, new RegExp(`^${name} is missing\\.$`))
      await refused(convert(open(), fields({ [name]: '' })), 422, new RegExp(`^${name} is missing`))
    }
    const all = await refused(convert(open(), {}), 422)
    for (const name of Object.keys(fields())) assert.match(all, `${name} is missing.`)
  })

  test('what is not a finite number is 422', async () => {
    for (const name of ['range_start', 'range_end', 'cover_time', 'speed'])
      for (const value of 'NaN|Infinity|-Infinity|1e999|abc|0x10|1,5|1 2|--1|1e|٣|null'.split('|'))
        await refused(
          convert(open(), fields({ [name]: value })),
          422,
          new RegExp(`^${name} must be a finite number`),
        )
    const twice = new URLSearchParams(fields())
    twice.append('speed', '2')
    await refused(post(open(), '/convert', twice), 422, /"speed" was sent twice/)
    const file = formOf(undefined, '', without('session_id'))
    file.append('session_id', new Blob(['x']), 'x')
    await refused(post(open(), '/convert', file), 400, /"session_id" was sent as a file/)
  })

  test('a session that does not exist is 404', async () => {
    for (const session_id of ['0'.repeat(32), 'x', '../../etc/passwd', `${session().session_id} `])
      await refused(convert(open(), fields({ session_id })), 404, /no such session/)
  })

  test('fields that nobody asked for are passed over', async () => {
    const body = new URLSearchParams(fields())
    for (const name of ['__proto__', 'constructor', 'x', 'speed[]']) body.append(name, '1')
    assert.is((await post(open(), '/convert', body)).status, 200)
  })

  test('a field whose name is nearly that of another is 400 with the other', async () => {
    const { cover_time = '', ...rest } = fields()
    const meant = (name: string) => new RegExp(`^There is no field ".*"\\. Did you mean ${name}\\?`)
    await refused(convert(open(), { ...rest, cover_tme: cover_time }), 400, meant('cover_time'))
    await refused(convert(open(), fields({ qualtiy: 'source' })), 400, meant('quality'))
    const upload = { upload_id: '0'.repeat(32), rangeStart: 0 }
    await refused(postJson(open(), '/motion-photo', upload), 400, meant('range_start'))
    await refused(
      post(open(), '/repair', formOf(undefined, '', { profiles: 'google' })),
      400,
      meant('profile'),
    )
    for (const path of ['/thumbnail', '/cleanup'])
      await refused(postJson(open(), path, { sessionId: 'x' }), 400, meant('session_id'))
    await refused(
      postJson(open(), '/uploads', { size: 1, contentType: 'video/mp4' }),
      400,
      meant('content_type'),
    )
  })

  test('a body that is too large is 413, of another type 415, and a broken form 400', async () => {
    await refused(convert(open(), fields({ x: 'x'.repeat(70_000) })), 413, /65536 bytes/)
    await refused(postJson(open(), '/convert', { ...fields(), speed: 0 }), 400, /speed/)
    const asJson = { ...fields(), speed: Number(fields().speed), mute: true, crop: null }
    assert.is((await postJson(open(), '/convert', asJson)).status, 200)
    const plain = { headers: { 'Content-Type': 'text/plain' } }
    const typed = post(open(), '/convert', String(new URLSearchParams(fields())), plain)
    await refused(typed, 415, /^The Content-Type must be application\/x-www.*application\/json/)
    const parts = Object.entries(fields()).map(([name, body]) => ({ head: `name="${name}"`, body }))
    const { body, headers } = multipart(parts, { end: false })
    await refused(post(open(), '/convert', body, { headers }), 400, /ended before it was complete/)
  })
}

/** What is told of the clip in a motion photo by its own tables. */
function clipOf(photo: Uint8Array): { frames: number; sound: boolean; presentationUs: number | undefined } {
  const read = readMotionPhoto(photo)
  assert.ok(read?.clip, `no motion photo: ${Buffer.from(photo.subarray(0, 300)).toString('latin1')}`)
  const { offset = 0, length = 0 } = read?.clip ?? {}
  const { movie, problem } = readMovie(photo.subarray(offset, offset + length))
  assert.is(problem, undefined)
  const video = movie?.tracks.find(({ kind }) => kind === 'video')
  return {
    frames: video?.samples.count ?? 0,
    sound: movie?.tracks.some(({ kind }) => kind === 'audio') ?? false,
    presentationUs: read?.xmp?.presentationTimestampUs,
  }
}
