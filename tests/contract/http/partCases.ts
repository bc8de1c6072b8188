import * as assert from 'uvu/assert'
import { readMotionPhoto } from '#support/media/readMotionPhoto'
import { BEARER, type Contract } from './contract'
import {
  bytesOf,
  type ConvertFields,
  convert,
  formOf,
  jsonOf,
  type Prepared,
  post,
  postJson,
  refused,
  uploaded,
} from './requests'

/** A part of a video becomes a session, or a photo in one go. */
export function partCases({ test, open, guarded, clips }: Contract): void {
  const preparePart = (fields: ConvertFields, file = clips().talking) =>
    post(open(), '/prepare', formOf(file, 'file', fields))
  const range: ConvertFields = { range_start: '0.5', range_end: '1.5', cover_time: '1', speed: '1' }
  const photoOf = (fields: ConvertFields, file: Uint8Array | undefined = clips().talking) =>
    post(open(), '/motion-photo', formOf(file, 'file', fields))

  test('a part of a video becomes a session, and the times of the original are told', async () => {
    const response = await preparePart({ from: '0.5', to: '1.5' })
    assert.is(response.status, 200, await response.clone().text())
    const { duration, frames, from, to, source_duration, has_audio, session_id } =
      await jsonOf<Prepared>(response)
    assert.equal([duration, frames, from, to, has_audio], [1, 30, 0.5, 1.5, true])
    assert.ok(Math.abs((source_duration ?? 0) - 2) < 0.1, String(source_duration))
    const told = await jsonOf<Prepared>(await open().send(`/sessions/${session_id}`))
    assert.equal([told.from, told.to, told.source_duration], [0.5, 1.5, source_duration])
    const fields = { session_id, range_start: '0', range_end: '1', cover_time: '0.5', speed: '1' }
    assert.is((await convert(open(), fields)).status, 200)
    await refused(convert(open(), { ...fields, range_end: '1.5' }), 400, /range_end/)
  })

  test('the part of an upload, in JSON and in a form, and of an animated image', async () => {
    const ways: ((upload_id: string) => Promise<Response>)[] = [
      (upload_id) => postJson(open(), '/prepare', { upload_id, from: 0.2, to: 0.7 }),
      (upload_id) => post(open(), '/prepare', new URLSearchParams({ upload_id, from: '0.2', to: '0.7' })),
      (upload_id) => post(open(), '/prepare', formOf(undefined, '', { upload_id, from: '.2', to: '7e-1' })),
    ]
    for (const prepareBy of ways) {
      const response = await prepareBy(await uploaded(open(), clips().gif, 'image/gif'))
      const { frames, from, to, source_duration } = await jsonOf<Prepared>(response)
      assert.equal([frames, from, to, source_duration], [15, 0.2, 0.7, 1])
    }
  })

  test('a wrong part is refused by name, and an upload stays', async () => {
    const wrong: readonly [ConvertFields, number, RegExp][] = [
      [{ from: 'x' }, 422, /^from must be a finite number/],
      [{ to: 'Infinity' }, 422, /^to must be a finite number/],
      [{ from: '-1' }, 400, /^from must be 0 or more/],
      [{ from: '1', to: '1' }, 400, /^from must be less than to/],
      [{ from: '1', to: '1.05' }, 400, /^to must be at least 0\.1 s after from/],
      [{ from: '0', to: '601' }, 400, /^to must be at most 600 s after from/],
      [{ from: '1', to: '3' }, 422, /^to must not lie after the end of the file \(2\.\d+ s\)/],
      [{ from: '2.5' }, 422, /^from must lie before the end of the file \(2\.\d+ s\)/],
    ]
    for (const [fields, status, words] of wrong) await refused(preparePart(fields), status, words)
    const upload_id = await uploaded(open(), clips().gif, 'image/gif')
    for (const from of [5, -1, 'x'])
      await refused(postJson(open(), '/prepare', { upload_id, from }), from === -1 ? 400 : 422, /^from /)
    assert.is((await postJson(open(), '/prepare', { upload_id, from: 0.5 })).status, 200)
  })

  test('fields of a part that are empty count as not filled in', async () => {
    const { from, to } = await jsonOf<Prepared>(await preparePart({ from: '', to: ' ' }, clips().silent))
    assert.equal([from, to], [0, 1])
  })

  test('POST /motion-photo makes a photo of a file and a range in one go', async () => {
    const response = await photoOf({ ...range, speed: '2', mute: 'true', profile: 'google' })
    const photo = await bytesOf(response)
    assert.is(response.status, 200, Buffer.from(photo.subarray(0, 300)).toString())
    assert.is(response.headers.get('Content-Type'), 'image/jpeg')
    assert.is(response.headers.get('Content-Length'), String(photo.length))
    assert.match(
      response.headers.get('Content-Disposition') ?? '',
      /^attachment; filename="IMG_\d{8}_\d{6}_MP\.jpg"$/,
    )
    const read = readMotionPhoto(photo)
    assert.equal([read?.frame?.width, read?.frame?.height], [320, 240])
    assert.is(read?.xmp?.presentationTimestampUs, 250_000)
  })

  test('an upload becomes a photo, and is used up by it', async () => {
    const upload_id = await uploaded(open(), clips().talking)
    const numbers = { range_start: 0.5, range_end: 1.5, cover_time: 1, speed: 1 }
    await refused(
      postJson(open(), '/motion-photo', { upload_id, ...numbers, range_end: 9 }),
      422,
      /^range_end must not lie/,
    )
    const response = await postJson(open(), '/motion-photo', { upload_id, ...numbers })
    assert.is(response.status, 200)
    assert.ok(readMotionPhoto(await bytesOf(response))?.clip)
    await refused(postJson(open(), '/motion-photo', { upload_id, ...numbers }), 404)
    const { state, session_id } = await jsonOf(await open().send(`/uploads/${upload_id}`))
    assert.equal([state, session_id], ['done', undefined])
  })

  test('what is wrong with a photo in one go is named', async () => {
    const wrong: readonly [ConvertFields, number, RegExp][] = [
      [{ speed: '' }, 422, /^speed is missing/],
      [{ range_start: 'x' }, 422, /^range_start must be a finite number/],
      [{ profile: 'x' }, 422, /^profile must be one of/],
      [{ range_start: '-1' }, 400, /^range_start must be 0 or more/],
      [{ range_start: '2', range_end: '1' }, 400, /^range_start must be less than range_end/],
      [{ speed: '11' }, 400, /^speed must be from/],
      [{ cover_time: '-1' }, 400, /^cover_time must be 0 or more/],
      [{ range_end: '700', speed: '10' }, 400, /^range_end must be at most 600 s/],
      [{ range_start: '5', range_end: '6' }, 422, /^range_start must lie before the end of the video/],
      [{ range_end: '3' }, 422, /^range_end must not lie after the end of the video/],
      [{ cover_time: '9' }, 422, /^cover_time must be from 0 to the end of the video/],
    ]
    for (const [changes, status, words] of wrong)
      await refused(photoOf({ ...range, ...changes }), status, words)
    await refused(photoOf(range, clips().still), 400, /still image/)
    await refused(post(open(), '/motion-photo', formOf(undefined, '', range)), 422, /^file is missing/)
    await refused(post(open(), '/motion-photo'), 400, /multipart/)
    const body = formOf(clips().silent, 'file', range)
    await refused(post(guarded(), '/motion-photo', body), 401)
    const long = formOf(clips().talking, 'file', { ...range, range_start: '0' })
    await refused(post(guarded(), '/motion-photo', long, { headers: BEARER }), 400, /at most 1 s/)
  })
}
