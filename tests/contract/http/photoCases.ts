import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import * as assert from 'uvu/assert'
import { readMotionPhoto } from '#support/media/readMotionPhoto'
import { each } from '#support/values/each'
import { equalBytes } from '#support/values/equalBytes'
import { BEARER, type Contract, GUARD } from './contract'
import {
  allowed,
  bytesOf,
  convert,
  formOf,
  jsonOf,
  post,
  postJson,
  prepare,
  prepared,
  refused,
  uploaded,
} from './requests'

type Verdict = {
  readonly gallery: string
  readonly recognised: string
  readonly plays: boolean
  readonly timestamp: string
  readonly problems: readonly { readonly code: string; readonly repair: string | null }[]
}
type Inspection = {
  readonly format: string
  readonly bytes: number
  readonly clip: { readonly frames: number }
  readonly galleries: readonly Verdict[]
}

const MAKERS = ['google', 'samsung', 'xiaomi', 'oppo', 'vivo', 'android']

/** POST /inspect, /extract and /repair. */
export function photoCases({ test, clips, open, guarded, session }: Contract): void {
  const photos = new Map<string, Promise<Uint8Array>>()
  const photo = (profile = 'universal') => {
    const range = { range_start: '0.5', range_end: '1.5', cover_time: '1', speed: '1' }
    const make = () => convert(open(), { session_id: session().session_id, ...range, profile }).then(bytesOf)
    const made = photos.get(profile) ?? make()
    photos.set(profile, made)
    return made
  }
  const send = (path: string, file: Uint8Array, fields: Readonly<Record<string, string>> = {}) =>
    post(open(), path, formOf(file, 'file', fields))
  const recognisedBy = ({ galleries }: Inspection) =>
    galleries.filter(({ recognised }) => recognised === 'yes').map(({ gallery }) => gallery)

  test('POST /inspect says which galleries recognise a photo, and why others do not', async () => {
    const file = await photo('google')
    const response = await send('/inspect', file)
    assert.is(response.status, 200)
    assert.is(response.headers.get('Cache-Control'), 'no-store')
    const found: Inspection = await jsonOf(response)
    assert.equal(recognisedBy(found), ['google', 'android'])
    assert.equal([found.format, found.bytes, found.clip.frames], ['jpeg', file.length, 30])
    const [google, samsung] = found.galleries
    assert.equal([google?.plays, google?.timestamp, google?.problems], [true, 'right', []])
    assert.equal(each(samsung?.problems ?? [], 'code'), ['samsung-block'])
    assert.equal(recognisedBy(await jsonOf(await send('/inspect', await photo()))), MAKERS)
  })

  test('POST /extract gives the clip byte for byte, and the still without a clip', async () => {
    const file = await photo()
    const at = readMotionPhoto(file)?.clip
    const response = await send('/extract', file)
    assert.is(response.headers.get('Content-Type'), 'video/mp4')
    assert.match(response.headers.get('Content-Disposition') ?? '', /filename="IMG_\d{8}_\d{6}\.mp4"/)
    const clip = await bytesOf(response)
    assert.is(response.headers.get('Content-Length'), String(clip.length))
    equalBytes(clip, file.subarray(at?.offset, (at?.offset ?? 0) + (at?.length ?? 0)))
    const still = await bytesOf(await send('/extract', file, { what: 'still' }))
    assert.is(readMotionPhoto(still), undefined)
    const pixels = (jpeg: Uint8Array) => sharp(jpeg, { failOn: 'warning' }).raw().toBuffer()
    assert.ok((await pixels(still)).equals(await pixels(file)))
  })

  test('POST /extract makes a GIF and a WebP of the clip', async () => {
    for (const what of ['gif', 'webp']) {
      const response = await send('/extract', await photo(), { what })
      assert.is(response.status, 200, what)
      assert.is(response.headers.get('Content-Type'), `image/${what}`)
      const { format, width, pages, loop } = await sharp(await bytesOf(response), {
        animated: true,
      }).metadata()
      assert.equal([format, width, pages, loop], [what, 320, 15, 0])
    }
  })

  test('a clip of a codec that is not read is told apart from one that is damaged', async () => {
    const foreign = Buffer.from(await photo('google'))
    for (const [word, other] of Object.entries({ avc1: 'M8Y0', avcC: 'free' }))
      foreign.write(other, foreign.lastIndexOf(word), 'latin1')
    const named = /^The video uses the codec MagicYUV, which is not read here\. Convert it to H\.264/
    await refused(prepare(open(), foreign), 415, named)
    for (const what of ['gif', 'webp']) await refused(send('/extract', foreign, { what }), 415, named)
    for (const path of ['/inspect', '/extract'])
      assert.is((await send(path, foreign)).status, 200, `${path} decodes nothing`)
  })

  test('POST /repair mends a photo for more galleries, and leaves a whole one as it is', async () => {
    const response = await send('/repair', await photo('google'))
    assert.is(response.status, 200)
    assert.is(response.headers.get('Content-Type'), 'image/jpeg')
    assert.match(response.headers.get('Content-Disposition') ?? '', /filename="IMG_\d{8}_\d{6}_MP\.jpg"/)
    const mended = await bytesOf(response)
    assert.equal(recognisedBy(await jsonOf(await send('/inspect', mended))), MAKERS)
    equalBytes(await bytesOf(await send('/repair', mended)), mended)
    const legacy = await photo('legacy')
    equalBytes(await bytesOf(await send('/repair', legacy, { profile: 'legacy' })), legacy)
  })

  test('POST /repair mends a photo whose XMP has a prefix of its own', async () => {
    const mended = await bytesOf(
      await send('/repair', await readFile('tests/fixtures/media/xmp-prefix-Camera.jpg')),
    )
    assert.equal(recognisedBy(await jsonOf(await send('/inspect', mended))), MAKERS)
  })

  test('POST /repair joins the two files of a Live Photo, and leaves whole ones as they are', async () => {
    const live = await photo('apple')
    equalBytes(await bytesOf(await send('/repair', live)), live)
    const broken = live.slice()
    const key = Buffer.from('com.apple.quicktime.content.identifier')
    broken[Buffer.from(live).indexOf(key)] = 'k'.charCodeAt(0)
    const response = await send('/repair', broken)
    assert.equal([response.status, response.headers.get('Content-Type')], [200, 'application/zip'])
    assert.match(response.headers.get('Content-Disposition') ?? '', /filename="IMG_\d{8}_\d{6}\.zip"/)
    const mended = await bytesOf(response)
    assert.equal(recognisedBy(await jsonOf(await send('/inspect', broken))), [])
    assert.equal(recognisedBy(await jsonOf(await send('/inspect', mended))), ['apple'])
    await refused(send('/repair', broken, { profile: 'google' }), 422, /^profile is for motion photos/)
  })

  test('a Live Photo in a ZIP that is compressed is read as any other', async () => {
    const zip = await readFile('tests/fixtures/media/live-photo-deflated.zip')
    const response = await send('/inspect', zip)
    assert.is(response.status, 200)
    assert.equal(recognisedBy(await jsonOf(response)), ['apple'])
    const { has_still, duration } = await prepared(open(), zip)
    assert.equal([has_still, duration > 0], [true, true])
    const movie = Buffer.from(await bytesOf(await send('/extract', zip)))
    assert.is(movie.length, 11_347)
    const repaired = Buffer.from(await bytesOf(await send('/repair', zip)))
    assert.ok(repaired.includes(movie), 'the video as it is')
  })

  test('a motion photo and a Live Photo are sources: of a session, and of another photo', async () => {
    const motionPhoto = await photo('google')
    const { session_id, duration, captured_at } = await prepared(open(), motionPhoto)
    assert.ok(Math.abs(duration - 1) < 0.05, String(duration))
    assert.match(String(captured_at), /\+00:00$/, 'the time of the photo')
    const range = { range_start: '0', range_end: '0.5', cover_time: '0.2', speed: '1' }
    const again = await convert(open(), { session_id, ...range })
    assert.is(readMotionPhoto(await bytesOf(again))?.samsung?.blocks.length, 2)
    const made = await send('/motion-photo', await photo('apple'), range)
    assert.is(made.status, 200)
    assert.ok(readMotionPhoto(await bytesOf(made))?.clip)
    const upload_id = await uploaded(open(), motionPhoto, 'image/jpeg')
    assert.is((await postJson(open(), '/prepare', { upload_id })).status, 200)
    const still = await send('/extract', motionPhoto, { what: 'still' })
    await refused(prepare(open(), await bytesOf(still)), 400, /still image/)
  })

  test('an upload can be inspected, mended and taken apart, as often as wanted', async () => {
    const file = await photo()
    const upload_id = await uploaded(open(), file, 'image/jpeg')
    assert.equal(recognisedBy(await jsonOf(await postJson(open(), '/inspect', { upload_id }))), MAKERS)
    equalBytes(await bytesOf(await postJson(open(), '/repair', { upload_id })), file)
    const body = new URLSearchParams({ upload_id, what: 'still' })
    const still = await post(open(), '/extract', body)
    assert.is(still.headers.get('Content-Type'), 'image/jpeg')
    await still.arrayBuffer()
    const form = formOf(undefined, '', { upload_id })
    assert.is((await post(open(), '/inspect', form)).status, 200)
  })

  test('what is no motion photo is refused with what it is', async () => {
    for (const path of ['/inspect', '/extract', '/repair']) {
      await refused(send(path, clips().talking), 415, /a video, of which/)
      await refused(send(path, clips().gif), 415, /a GIF/)
      await refused(send(path, new Uint8Array(5000).fill(65)), 415, /neither a JPEG nor a HEIC/)
      const still = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
        .jpeg()
        .toBuffer()
      await refused(send(path, still), 422, /without a video/)
      await refused(send(path, (await photo()).subarray(0, 2)), 422, /without a video/)
    }
    const cut = (await photo()).subarray(0, -1000)
    await refused(send('/repair', cut), 422, /cannot be mended.*google: The file has no video/)
    await refused(send('/extract', cut), 422, /its video is gone/)
  })

  test('a field that is missing or wrong is 422 and is named', async () => {
    for (const path of ['/inspect', '/extract', '/repair']) {
      await refused(post(open(), path, formOf(undefined, '', { a: 'b' })), 422, /^file is missing/)
      await refused(postJson(open(), path, {}), 400, /upload_id/)
      await refused(postJson(open(), path, { upload_id: '0'.repeat(32) }), 404, /no such upload/)
      const { upload_id } = await allowed(open(), 10, 'image/jpeg')
      await refused(postJson(open(), path, { upload_id }), 409, /has not arrived/)
      await refused(send(path, await photo(), { upload_id }), 400, /not both/)
    }
    await refused(send('/extract', await photo(), { what: 'sound' }), 422, /^what must be one of still, clip/)
    await refused(send('/repair', await photo(), { profile: 'x' }), 422, /^profile must be one of universal/)
  })

  test('a text that is sent as a file, a field that is sent twice and a list are refused by their names', async () => {
    const named = { '/inspect': 'upload_id', '/extract': 'what', '/repair': 'profile' }
    for (const [path, name] of Object.entries(named)) {
      const body = formOf(await photo())
      body.append(name, new Blob(['x']), 'x')
      await refused(post(open(), path, body), 400, new RegExp(`"${name}" was sent as a file`))
      const twice = formOf(await photo(), 'file', { [name]: 'a' })
      twice.append(name, 'a')
      await refused(post(open(), path, twice), 422, new RegExp(`"${name}" was sent twice`))
      const list = { upload_id: '0'.repeat(32), other: ['a'] }
      await refused(postJson(open(), path, list), 422, /^other must be a text, a number or a truth value/)
    }
  })

  test('a photo over the limit is 413', async () => {
    const large = new Uint8Array(GUARD.maxUploadBytes + 1)
    large.set((await photo()).subarray(0, 100_000))
    await refused(post(guarded(), '/inspect', formOf(large), { headers: BEARER }), 413)
  })
}
