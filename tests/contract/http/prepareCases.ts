import * as assert from 'uvu/assert'
import { storedBytes } from '#support/hosts/hosts'
import { text } from '#support/values/bytes'
import { each } from '#support/values/each'
import { equalBytes } from '#support/values/equalBytes'
import { padded } from '#support/values/padded'
import { BEARER, type Contract, GUARD, TALKING } from './contract'
import { mismatches, type OpenApi } from './openApi'
import {
  bytesOf,
  failedFor,
  formOf,
  jsonOf,
  multipart,
  type Prepared,
  post,
  postJson,
  prepare,
  prepared,
  refused,
} from './requests'

export function prepareCases({ test, traits, open, guarded, clips }: Contract): void {
  test('POST /prepare makes a session and tells all about its preview', async () => {
    const before = Math.floor(Date.now() / 1000)
    const response = await prepare(open(), clips().talking)
    const after = Math.floor(Date.now() / 1000)
    assert.is(response.status, 200)
    assert.match(response.headers.get('Content-Type') ?? '', /^application\/json\b/)
    assert.is(response.headers.get('Cache-Control'), 'no-store')
    const { session_id, preview_url, strip, expires_at, source_duration, ...rest } =
      await jsonOf<Prepared>(response)
    assert.equal(rest, TALKING)
    assert.ok(Math.abs(Number(source_duration) - 2) < 0.1, String(source_duration))
    assert.match(session_id, /^[0-9a-f]{32}$/)
    assert.is(preview_url, `${open().url}/preview/${session_id}.mp4`)
    const url = `${open().url}/sessions/${session_id}/strip.jpg`
    assert.equal(strip, { url, tile_width: 160, tile_height: 120, row_height: 128, tiles: 12, interval: 5 })
    assert.ok(expires_at >= before + 86_400 && expires_at <= after + 86_401, String(expires_at))
    const preview = await open().send(new URL(preview_url).pathname)
    assert.is(preview.status, 200)
    assert.is(Buffer.from(await bytesOf(preview)).toString('latin1', 4, 8), 'ftyp')
  })

  test('what POST /prepare and GET /sessions answer is as the document says', async () => {
    const { components }: OpenApi = await jsonOf(await open().send('/openapi.json'))
    const { PrepareResult, Session } = components.schemas
    const answer = await prepared(open(), clips().silent)
    assert.equal(mismatches(answer, PrepareResult ?? {}), [])
    const session = await jsonOf(await open().send(`/sessions/${answer.session_id}`))
    assert.equal(mismatches(session, Session ?? {}), [])
  })

  test('sizes, sound and length are those of the preview', async () => {
    const { duration, width, height, has_audio, frames } = await prepared(open(), clips().silent)
    assert.equal([duration, width, height, has_audio, frames], [1, 322, 242, false, 30])
  })

  test('an animated image becomes a session, too', async () => {
    const { duration, has_audio, frames } = await prepared(open(), clips().gif)
    assert.equal({ duration, has_audio, frames }, { duration: 1, has_audio: false, frames: 30 })
  })

  test('the upload arrives whole: the original is kept byte for byte', async () => {
    // Behind the film a box with every pair of neighbouring bytes, line ends and dashes among them.
    const pairs = Uint8Array.from({ length: 131_072 }, (_, index) => (index % 2 ? index >> 9 : index >> 1))
    const upload = padded(clips().silent, clips().silent.length + 8 + pairs.length, pairs)
    const { session_id, frames } = await prepared(open(), upload)
    assert.is(frames, 30)
    equalBytes(await storedBytes(open(), `sessions/${session_id}/original`), upload)
  })

  test('a text that is sent as a file is 400 and named, here and by POST /motion-photo', async () => {
    for (const [path, name] of [
      ['/prepare', 'from'],
      ['/prepare', 'upload_id'],
      ['/motion-photo', 'range_start'],
      ['/motion-photo', 'profile'],
    ] as const) {
      const form = formOf(clips().silent)
      form.append(name, new Blob(['1']), 'text.txt')
      const response = await post(open(), path, form)
      await refused(response, 400, new RegExp(`^The field "${name}" was sent as a file\\. Send it as text`))
    }
  })

  test('what is no multipart form is 400', async () => {
    await refused(post(open(), '/prepare'), 400, /multipart\/form-data/)
    await refused(postJson(open(), '/prepare', { file: 'x' }), 400, /multipart\/form-data/)
    const bodies: readonly [string, string][] = [
      ['application/x-www-form-urlencoded', 'file=x'],
      ['multipart/form-data; boundary=x', 'nothing like a form'],
      ['multipart/form-data; boundary=x', ''],
      ['video/mp4', 'x'],
    ]
    for (const [type, body] of bodies) {
      const headers = { 'Content-Type': type }
      await refused(post(open(), '/prepare', body, { headers }), 400)
    }
  })

  test.skipUnless(traits.readsBodies === undefined, traits.readsBodies ?? '')(
    'a form without a boundary is 400',
    async () => {
      for (const parameter of ['', '; boundary=', '; charset=x']) {
        const headers = { 'Content-Type': `multipart/form-data${parameter}` }
        await refused(post(open(), '/prepare', '--x\r\n', { headers }), 400, /multipart\/form-data/)
      }
    },
  )

  test('a body that stops before its end is 400, wherever it stops', async () => {
    const head = 'name="file"; filename="a.mp4"\r\nContent-Type: video/mp4'
    for (const length of [10, 5000, clips().talking.length]) {
      const part = { head, body: clips().talking.subarray(0, length) }
      const { body, headers } = multipart([part], { end: false })
      await refused(post(open(), '/prepare', body, { headers }), 400, /ended before|cannot be read/)
    }
  })

  test('an empty file, a text, a playlist, a still image and a damaged film are 400', async () => {
    const files: readonly [string, Uint8Array, RegExp][] = [
      ['empty', new Uint8Array(), /empty/],
      ['text', text('not a film '.repeat(1000)), /not a video/],
      ['playlist', text('#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n/etc/passwd\n'), /not a video/],
      ['concat script', text("ffconcat version 1.0\nfile '/etc/passwd'\n"), /not a video/],
      ['still image', clips().still, /still image/],
      ['moment', clips().moment, /^The video lasts only 0\.067 s; a clip needs at least 0\.1 s/],
      ['half a film', clips().silent.subarray(0, 3000), /damaged|incomplete/],
      ['a film without its begin', clips().silent.subarray(1), /not a video/],
      ['an ftyp box alone', clips().silent.subarray(0, 32), /damaged|incomplete/],
      ['a GIF header alone', clips().gif.subarray(0, 13), /damaged|incomplete|no picture/],
    ]
    for (const [name, file, words] of files)
      await refused(prepare(open(), file), 400, words).catch(failedFor(name))
  })

  test('sound alone is 415, by its first bytes or by its tracks', async () => {
    await refused(prepare(open(), clips().wav), 415, /sound/)
    await refused(prepare(open(), clips().sound), 415, /no moving picture/)
  })

  test('a form without the file is 422', async () => {
    const forms = [
      formOf(clips().silent, 'video'),
      formOf(undefined),
      formOf(undefined, '', { file: 'text' }),
    ]
    forms[1]?.append('other', 'x')
    for (const body of forms) await refused(post(open(), '/prepare', body), 422, /^file is missing/)
  })

  test('a file that has just the allowed size is taken, one byte more is 413', async () => {
    const limit = GUARD.maxUploadBytes
    const init = { headers: BEARER }
    assert.is((await prepare(guarded(), padded(clips().silent, limit), init)).status, 200)
    for (const size of [limit + 1, limit + 70_000, limit * 3])
      await refused(prepare(guarded(), padded(clips().silent, size), init), 413, /400000 bytes/)
  })

  test.skipUnless(traits.bodyLimit !== undefined, 'this host has no limit of its own')(
    'a body beyond the limit of the host is 413',
    async () => {
      const response = await prepare(open(), padded(clips().silent, (traits.bodyLimit ?? 0) + 1))
      assert.is(response.status, 413)
      await response.arrayBuffer()
      const taken = await prepare(open(), padded(clips().silent, (traits.bodyLimit ?? 0) - 1000))
      assert.is(taken.status, 200)
    },
  )

  test('many uploads at once each get their own session', async () => {
    const all = await Promise.all(
      [clips().silent, clips().gif, clips().silent, clips().talking].map((file) => prepared(open(), file)),
    )
    assert.is(new Set(all.map(({ session_id }) => session_id)).size, 4)
    assert.equal(each(all, 'width'), [322, 64, 322, 320])
  })
}
