import { latin1 } from '@lantern-room/base/bytes'
import { readHeicPicture, stripJpeg } from '@lantern-room/formats/pictures'
import { readMovie } from '@lantern-room/mp4'
import sharp from 'sharp'
import * as assert from 'uvu/assert'
import { heicFile } from '#support/media/heicFile'
import { ffmpeg, withEncoder } from '#support/media/media'
import { readMotionPhoto } from '#support/media/readMotionPhoto'
import { equalBytes } from '#support/values/equalBytes'
import type { Contract } from './contract'
import {
  bytesOf,
  type ConvertFields,
  convert,
  formOf,
  jsonOf,
  type Prepared,
  post,
  prepared,
  refused,
} from './requests'

/** Covers that are finished pictures, crops and rotations, of POST /convert and POST /motion-photo. */
export function coverCases({ test, open, clips, session }: Contract): void {
  const range = { range_start: '0', range_end: '2', speed: '1' }
  const still = () =>
    sharp({ create: { width: 64, height: 48, channels: 3, background: '#0a0' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer()
  const withCover = (picture: Uint8Array, fields: ConvertFields = {}) => {
    const body = formOf(picture, 'cover_file', {
      session_id: session().session_id,
      ...range,
      cover_time: '1',
      ...fields,
    })
    return post(open(), '/convert', body)
  }
  const scanOf = (jpeg: Uint8Array) => stripJpeg(jpeg, { keepsProfile: false })?.bytes ?? new Uint8Array()

  test("cover=source is the photo's own picture and its moment, with and without a session", async () => {
    const source = await bytesOf(await withCover(await still()))
    const photo = await prepared(open(), source)
    const fields = { session_id: photo.session_id, ...range, range_end: '1.9', cover: 'source' }
    const file = await bytesOf(await convert(open(), fields))
    const sent = formOf(source, 'file', { ...range, range_end: '1.9', cover: 'source' })
    const atOnce = await bytesOf(await post(open(), '/motion-photo', sent))
    for (const one of [file, atOnce]) {
      equalBytes(scanOf(one), scanOf(source))
      const { exif, xmp } = readMotionPhoto(one) ?? {}
      assert.equal([exif?.orientation, xmp?.presentationTimestampUs], [6, 1_000_000])
    }
    const timed = await bytesOf(await convert(open(), { ...fields, cover: 'time', cover_time: '1' }))
    assert.is((await sharp(timed).metadata()).width, 320)
  })

  test('metadata=all keeps what a cover_file says, and X-Metadata-Lost names what could not be kept', async () => {
    const said = { IFD0: { Artist: 'A. Person' } }
    const picture = await sharp(await still())
      .withExif(said)
      .jpeg()
      .toBuffer()
    const whole = await withCover(picture, { metadata: 'all' })
    assert.is(whole.headers.get('X-Metadata-Lost'), null)
    assert.ok(latin1(await bytesOf(whole)).includes('A. Person'))
    const at = picture.indexOf('Exif\0\0') + 6
    const broken = Buffer.concat([picture.subarray(0, at), Buffer.from('XX'), picture.subarray(at + 2)])
    const partly = await withCover(broken, { metadata: 'all' })
    assert.is(partly.headers.get('X-Metadata-Lost'), 'exif')
    const dated = await withCover(broken)
    assert.is(dated.headers.get('X-Metadata-Lost'), null)
    assert.not.ok(latin1(await bytesOf(dated)).includes('A. Person'))
  })

  test('a photo beside its video is the cover, with and without a session, and the whole video the clip', async () => {
    const photo = await still()
    const pair = (file: Uint8Array, picture: Uint8Array, fields: ConvertFields = {}) => {
      const body = formOf(file, 'file', fields)
      body.append('photo', new Blob([new Uint8Array(picture)]), 'IMG_1.JPG')
      return body
    }
    const atOnce = await bytesOf(await post(open(), '/motion-photo', pair(clips().talking, photo)))
    const source = await jsonOf<Prepared>(await post(open(), '/prepare', pair(clips().talking, photo)))
    const fields = { session_id: source.session_id, ...range, cover: 'source', metadata: 'all' }
    for (const one of [atOnce, await bytesOf(await convert(open(), fields))]) {
      equalBytes(scanOf(one), scanOf(photo))
      assert.is(readMotionPhoto(one)?.exif?.orientation, 6)
    }
    const { movie } = readMovie(atOnce.subarray(readMotionPhoto(atOnce)?.clip?.offset))
    assert.is(movie?.durationSeconds.toFixed(1), source.duration.toFixed(1))
    for (const path of ['/prepare', '/motion-photo']) {
      const named = formOf(clips().talking, 'file', { photo: 'IMG_1.JPG' })
      await refused(post(open(), path, named), 422, /^photo must be a file/)
      const text = pair(clips().talking, Buffer.from('no photo'))
      await refused(post(open(), path, text), 422, /^photo must be a JPEG or HEIC/)
      const gif = pair(clips().gif, photo)
      await refused(post(open(), path, gif), 422, /^photo goes with a video only/)
    }
  })

  test.skipUnless(...withEncoder('libx265'))('format=keep answers with the HEIC that was sent', async () => {
    const stream = await ffmpeg([
      ...['-f', 'lavfi', '-i', 'testsrc2=size=64x48:d=0.04', '-frames:v', '1', '-c:v', 'libx265'],
      ...['-x265-params', 'log-level=none:keyint=1', '-pix_fmt', 'yuv420p', '-f', 'hevc', 'pipe:1'],
    ])
    const heic = heicFile({ streams: [stream], tile: { width: 64, height: 48 } })
    const send = (fields: ConvertFields) => {
      const body = formOf(clips().talking, 'file', fields)
      body.append('photo', new Blob([new Uint8Array(heic)]), 'IMG_1.HEIC')
      return post(open(), '/motion-photo', body)
    }
    const response = await send({ format: 'keep', profile: 'samsung' })
    assert.is(response.headers.get('Content-Type'), 'image/heic')
    assert.match(response.headers.get('Content-Disposition') ?? '', /_MP\.HEIC"$/)
    const made = await bytesOf(response)
    const streamOf = (file: Uint8Array) => readHeicPicture(file)?.stream ?? new Uint8Array()
    equalBytes(streamOf(made), streamOf(heic))
    const { format, clip } = readMotionPhoto(made) ?? {}
    assert.equal([format, clip !== undefined], ['heic', true])
    const huawei = send({ format: 'keep', profile: 'huawei' })
    await refused(huawei, 422, /^With format=keep, profile must be universal or google/)
    await refused(send({ format: 'png' }), 422, /format.* must be jpeg or keep/)
  })

  test('a donor is no longer taken, as a file or as text, and the answer says what to send instead', async () => {
    const refusal = /^The field "donor" no longer exists: send the maker of your phone as profile/
    const wanted = { session_id: session().session_id, ...range, cover_time: '1' }
    await refused(post(open(), '/convert', formOf(await still(), 'donor', wanted)), 400, refusal)
    await refused(convert(open(), { ...wanted, donor: 'phone.jpg' }), 400, refusal)
    const inspected = formOf(await still(), 'file')
    inspected.append('donor', new Blob([new Uint8Array(await still())]), 'donor.jpg')
    await refused(post(open(), '/inspect', inspected), 400, refusal)
  })

  test('wrong covers, crops and repeats are refused with the field and the remedy', async () => {
    const picture = await still()
    await refused(withCover(new Uint8Array()), 400, /cover_file is empty/)
    await refused(withCover(clips().gif), 415, /cover_file is no JPEG/)
    await refused(withCover(picture.subarray(0, 300)), 422, /cover_file cannot be decoded/)
    await refused(withCover(picture, { cover: 'source' }), 422, /exclude each other/)
    const text = { session_id: session().session_id, ...range, cover_time: '1', cover_file: 'picture.jpg' }
    await refused(convert(open(), text), 422, /^cover_file must be a file/)
    await refused(post(open(), '/convert', formOf(undefined, '', text)), 422, /^cover_file must be a file/)
    const twice = formOf(picture, 'cover_file', {
      session_id: session().session_id,
      ...range,
      cover_time: '1',
    })
    twice.append('cover_file', new Blob([new Uint8Array(picture)]), 'again.jpg')
    await refused(post(open(), '/convert', twice), 400, /"cover_file" twice/)
    const crops = formOf(picture, 'cover_file', { session_id: session().session_id, ...range, crop: '1:1' })
    crops.append('crop', '2:1')
    crops.append('cover_time', '1')
    await refused(post(open(), '/convert', crops), 422, /"crop" was sent twice/)
    const ask = (fields: ConvertFields) =>
      convert(open(), { session_id: session().session_id, ...range, cover_time: '1', ...fields })
    await refused(ask({ cover: 'source' }), 422, /cover=source.*cover_time/)
    for (const [fields, named] of [
      [{ cover: 'source' }, 'hdr=true and cover=source'],
      [{ profile: 'apple' }, 'hdr=true and profile=apple'],
    ] as const)
      await refused(ask({ hdr: 'true', ...fields }), 422, new RegExp(`^${named} exclude each other`))
    await refused(withCover(picture, { hdr: 'true' }), 422, /^hdr=true and cover_file exclude each other/)
    await refused(ask({ cover: 'other' }), 422, /cover must be one of time, source/)
    await refused(ask({ crop: '1-1' }), 422, /crop must be a ratio/)
    await refused(ask({ crop: '4000x20' }), 422, /crop must be a part/)
    await refused(ask({ rotate: '45' }), 422, /rotate must be one of/)
    await refused(ask({ repeat: '2' }), 422, /repeat is for clips without sound.*mute=true/)
    await refused(ask({ repeat: '1.5', mute: 'true' }), 400, /repeat must be a whole number/)
  })
}
