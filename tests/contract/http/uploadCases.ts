import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { text } from '#support/values/bytes'
import { equalBytes } from '#support/values/equalBytes'
import { eventually } from '#support/values/until'
import { BEARER, type Contract, GUARD, TALKING } from './contract'
import { mismatches, type OpenApi } from './openApi'
import {
  type Allowed,
  allowed,
  formOf,
  jsonOf,
  type Prepared,
  post,
  postJson,
  prepareUpload,
  put,
  refused,
  uploaded,
} from './requests'

/** Files that are sent apart from the request that prepares them. */
export function uploadCases({ test, traits, open, guarded, clips }: Contract): void {
  const jsonInit = { headers: { 'Content-Type': 'application/json; charset=utf-8' } }
  const preparedBy: Readonly<Record<string, (upload_id: string) => Promise<Response>>> = {
    'a multipart form': (upload_id) => prepareUpload(open(), upload_id),
    'a form': (upload_id) => post(open(), '/prepare', new URLSearchParams({ upload_id })),
    JSON: (upload_id) => post(open(), '/prepare', JSON.stringify({ upload_id }), jsonInit),
  }
  const putAs = ({ url }: Allowed, type: string, file: Uint8Array) =>
    put(open(), { url, headers: { 'Content-Type': type } }, file)
  const ours = test.skipUnless(traits.presigns === undefined, traits.presigns ?? '')

  test('POST /uploads tells where and how to send a file, and until when', async () => {
    const before = Math.floor(Date.now() / 1000)
    const response = await postJson(open(), '/uploads', { size: 12_345, content_type: 'video/quicktime' })
    assert.is(response.status, 201)
    assert.match(response.headers.get('Content-Type') ?? '', /^application\/json\b/)
    assert.is(response.headers.get('Cache-Control'), 'no-store')
    const answer = await jsonOf<Allowed>(response)
    const after = Math.floor(Date.now() / 1000)
    const { components }: OpenApi = await jsonOf(await open().send('/openapi.json'))
    assert.equal(mismatches(answer, components.schemas.UploadResult ?? {}), [])
    const { upload_id, url, headers, expires_at } = answer
    assert.match(upload_id, /^[0-9a-f]{32}$/)
    const type = traits.presigns === undefined ? 'application/octet-stream' : 'video/quicktime'
    assert.is(headers['Content-Type'], type)
    assert.is(headers['If-None-Match'], traits.presigns === undefined ? undefined : '*')
    assert.ok(url.includes(upload_id), url)
    assert.match(url, /^https?:/)
    assert.ok(expires_at >= before + 3600 && expires_at <= after + 3601, String(expires_at))
  })

  test('POST /uploads takes either kind of form', async () => {
    for (const form of [new FormData(), new URLSearchParams()]) {
      form.append('content_type', 'video/mp4')
      await refused(post(open(), '/uploads', form), 422, /^size is missing/)
      form.append('size', '5')
      const response = await post(open(), '/uploads', form)
      assert.is(response.status, 201)
      assert.match((await jsonOf<Allowed>(response)).upload_id, /^[0-9a-f]{32}$/)
      form.set('size', 'five')
      await refused(post(open(), '/uploads', form), 422, /^size must be a whole number of bytes/)
    }
  })

  for (const [name, prepareIt] of Object.entries(preparedBy))
    test(`an upload that ${name} names becomes a session, as a file does`, async () => {
      const response = await prepareIt(await uploaded(open(), clips().talking))
      const { session_id, preview_url, strip, expires_at, source_duration, ...rest } =
        await jsonOf<Prepared>(response)
      assert.is(response.status, 200)
      assert.equal(rest, TALKING)
      assert.ok(expires_at > Date.now() / 1000)
      assert.is(preview_url, `${open().url}/preview/${session_id}.mp4`)
      assert.is(strip?.url, `${open().url}/sessions/${session_id}/strip.jpg`)
      assert.is((await open().send(`/preview/${session_id}.mp4`, { method: 'HEAD' })).status, 200)
    })

  ours('the original is the upload, byte for byte, and the upload is gone', async () => {
    const id = await uploaded(open(), clips().gif, 'image/gif')
    const { session_id } = await jsonOf<Prepared>(await prepareUpload(open(), id))
    const store = join(open().dataDir, 'store')
    equalBytes(await readFile(join(store, 'sessions', session_id, 'original')), clips().gif)
    for (const end of ['', '.json', '.claim', '.stored'])
      await readFile(join(store, 'uploads', id + end)).then(
        () => assert.unreachable(end),
        (error) => assert.is(error.code, 'ENOENT'),
      )
  })

  test('an upload is used once: asked again, the answer is the same session, as long as there is one', async () => {
    const upload = await allowed(open(), clips().silent.length)
    assert.is((await put(open(), upload, clips().silent)).status, 200)
    const { upload_id } = upload
    const first = await jsonOf<Prepared>(await prepareUpload(open(), upload_id))
    const again = await prepareUpload(open(), upload_id)
    assert.is(again.status, 200)
    assert.equal(await jsonOf<Prepared>(again), first)
    await refused(postJson(open(), '/prepare', { upload_id, from: 0.5 }), 404, /no such upload/)
    await postJson(open(), '/cleanup', { session_id: first.session_id })
    await refused(prepareUpload(open(), upload_id), 404, /no such upload/)
    if (traits.presigns === undefined)
      await refused(put(open(), upload, clips().silent), 404, /no such upload/)
  })

  test('of several who prepare an upload at once, one gets a session', async () => {
    for (let round = 0; round < 2; round++) {
      const id = await uploaded(open(), clips().gif)
      const answers = await Promise.all([1, 2, 3].map(() => prepareUpload(open(), id)))
      const sessions = new Set<string>()
      for (const answer of answers)
        if (answer.status === 200) sessions.add((await jsonOf<Prepared>(answer)).session_id)
        else await refused(answer, 409)
      assert.is(sessions.size, 1)
    }
  })

  test('with Prefer: respond-async the answer is 202 and where to ask, or the session where hosts do not go on', async () => {
    const headers = { Prefer: 'wait=1, respond-async' }
    const upload_id = await uploaded(open(), clips().gif)
    const answer = await postJson(open(), '/prepare', { upload_id }, { headers })
    if (answer.status === 200) return assert.is(answer.headers.get('Preference-Applied'), null)
    assert.is(answer.status, 202)
    assert.is(answer.headers.get('Preference-Applied'), 'respond-async')
    assert.is(answer.headers.get('Location'), `${open().url}/uploads/${upload_id}`)
    assert.equal(await jsonOf(answer), { upload_id, state: traits.queued ?? 'preparing' })
    const { session_id } = await eventually(
      async () => jsonOf<{ state: string; session_id?: string }>(await open().send(`/uploads/${upload_id}`)),
      ({ state }) => state !== 'preparing' && state !== traits.queued,
    )
    assert.is((await open().send(`/sessions/${session_id}`)).status, 200)
    const again = await postJson(open(), '/prepare', { upload_id }, { headers })
    assert.is(again.status, 202)
    assert.equal(await jsonOf(again), { upload_id, state: 'done', session_id })
    const unsent = await allowed(open(), 5)
    const { upload_id: other } = unsent
    await refused(postJson(open(), '/prepare', { upload_id: other }, { headers }), 409, /not arrived/)
  })

  test('an upload whose file has not come is 409, and can be prepared when it has', async () => {
    const upload = await allowed(open(), clips().gif.length)
    await refused(prepareUpload(open(), upload.upload_id), 409, /not arrived/)
    await refused(prepareUpload(open(), upload.upload_id), 409, /not arrived/)
    assert.is((await put(open(), upload, clips().gif)).status, 200)
    assert.is((await prepareUpload(open(), upload.upload_id)).status, 200)
  })

  ours('a PUT of the wrong size or type stores nothing, and the right one is still taken', async () => {
    const file = clips().gif
    const upload = await allowed(open(), file.length, 'image/gif')
    const longer = new Uint8Array(file.length + 1)
    await refused(put(open(), upload, longer), 413, /longer than the \d+ bytes/)
    await refused(put(open(), upload, new Uint8Array(file.length + 1_000_000)), 413)
    for (const length of [file.length - 1, 1])
      await refused(put(open(), upload, file.subarray(0, length)), 400, /ended before/)
    for (const type of ['image/png', 'image/gif; charset=x', 'text/plain'])
      await refused(putAs(upload, type, file), 415)
    await refused(prepareUpload(open(), upload.upload_id), 409, /not arrived/)

    const response = await put(open(), upload, file)
    assert.is(response.status, 200)
    assert.is(await response.text(), '')
    await refused(put(open(), upload, file), 409, /there already/)
    assert.is((await prepareUpload(open(), upload.upload_id)).status, 200)
  })

  ours('of several PUTs at once one is taken', async () => {
    const file = clips().talking
    const upload = await allowed(open(), file.length)
    const answers = await Promise.all([1, 2, 3].map(() => put(open(), upload, file)))
    assert.equal(answers.map(({ status }) => status).sort(), [200, 409, 409])
    assert.is((await prepareUpload(open(), upload.upload_id)).status, 200)
  })

  test('a media type may have parameters, as recorders in browsers write them', async () => {
    const id = await uploaded(open(), clips().gif, 'video/webm;codecs="vp9,opus"')
    assert.is((await prepareUpload(open(), id)).status, 200)
  })

  test.skipUnless(
    traits.presigns === undefined && traits.readsBodies === undefined,
    traits.presigns ?? traits.readsBodies ?? '',
  )('a file may be sent with its own type, too, in any spelling', async () => {
    const upload = await allowed(open(), clips().gif.length, 'video/webm;codecs="vp9,opus"')
    for (const type of ['video/webm', 'video/webm;codecs=vp9'])
      await refused(putAs(upload, type, clips().gif), 415, /Content-Type/)
    assert.is((await putAs(upload, 'Video/WebM; codecs="vp9,opus"', clips().gif)).status, 200)
  })

  test('a size or type that is none is 422', async () => {
    for (const size of [0, -1, 1.5, '5', null, undefined, 1e300])
      await refused(postJson(open(), '/uploads', { size, content_type: 'video/mp4' }), 422, /size /)
    const malformed = '|video|video/|/mp4|video/mp4/x|video mp4|video/mp4\r\nX: y|video/mp4; codecs|vidéo/mp4'
    for (const content_type of [...malformed.split('|'), 5, null, undefined, `video/${'x'.repeat(300)}`])
      await refused(postJson(open(), '/uploads', { size: 5, content_type }), 422, /content_type /)
    await refused(postJson(open(), '/uploads', '{'), 400)
  })

  test('a size that is just allowed is allowed, one byte more is 413', async () => {
    const allow = (body: unknown, init: RequestInit) => postJson(guarded(), '/uploads', body, init)
    await allowed(guarded(), GUARD.maxUploadBytes, 'video/mp4', { headers: BEARER })
    for (const size of [GUARD.maxUploadBytes + 1, Number.MAX_SAFE_INTEGER])
      await refused(allow({ size, content_type: 'video/mp4' }, { headers: BEARER }), 413, /400000 bytes/)
  })

  test('an upload that does not exist is 404 to PUT and to prepare, whatever its name', async () => {
    const ids = ['0'.repeat(32), 'x', '..%2f..', 'a'.repeat(3000)]
    for (const id of ids) {
      const body = clips().gif
      const headers = { 'Content-Type': 'image/gif' }
      await refused(open().send(`/uploads/${id}`, { method: 'PUT', body, headers }), 404)
      await refused(prepareUpload(open(), id), 404)
    }
    await refused(prepareUpload(open(), `${await uploaded(open(), clips().gif)}.json`), 404)
  })

  test('a file and an upload together are 400, and the upload is not used', async () => {
    const upload_id = await uploaded(open(), clips().gif)
    for (const body of [formOf(clips().silent, 'file', { upload_id }), new FormData()]) {
      if (!body.has('file')) {
        body.append('file', new Blob([clips().silent]), 'a.mp4')
        body.append('upload_id', upload_id)
      }
      await refused(post(open(), '/prepare', body), 400, /not both/)
    }
    // What a page sends for a file that was not chosen.
    const body = formOf(new Uint8Array(), 'file', { upload_id })
    assert.is((await post(open(), '/prepare', body)).status, 200)
    const none = formOf(clips().gif, 'file', { upload_id: '' })
    assert.is((await post(open(), '/prepare', none)).status, 200)
  })

  test('a body that could name an upload and does not is 400', async () => {
    for (const body of ['{}', '{', '[]', '"x"', '{"upload_id":5}', '{"upload_id":""}'])
      await refused(postJson(open(), '/prepare', body), 400, /upload_id/)
    const empty = new URLSearchParams({ upload_id: '' })
    await refused(post(open(), '/prepare', empty), 400, /upload_id/)
    const long = JSON.stringify({ upload_id: 'x'.repeat(70_000) })
    await refused(postJson(open(), '/prepare', long), 413)
  })

  test('a file that is refused uses its upload up', async () => {
    const files: readonly [Uint8Array, number, RegExp][] = [
      [text('no film at all '.repeat(1000)), 400, /not a video/],
      [clips().silent.subarray(0, 3000), 400, /damaged|incomplete/],
      [clips().wav, 415, /sound/],
    ]
    for (const [file, status, words] of files) {
      const id = await uploaded(open(), file)
      await refused(prepareUpload(open(), id), status, words)
      await refused(prepareUpload(open(), id), 404, /no such upload/)
    }
  })

  test('with a token set, everything but the PUT wants it', async () => {
    const file = clips().gif
    const order = { size: file.length, content_type: 'image/gif' }
    await refused(postJson(guarded(), '/uploads', order), 401)
    const upload = await allowed(guarded(), file.length, 'image/gif', { headers: BEARER })
    if (traits.presigns === undefined) {
      const wrong = { ...upload.headers, Authorization: 'Bearer wrong-token' }
      await refused(put(guarded(), upload, file, { headers: wrong }), 401)
    }
    assert.is((await put(guarded(), upload, file)).status, 200)
    await refused(prepareUpload(guarded(), upload.upload_id), 401)
    const { status } = await prepareUpload(guarded(), upload.upload_id, { headers: BEARER })
    assert.is(status, 200)
  })

  test.skipUnless(traits.noOrigins === undefined, traits.noOrigins ?? '')(
    'where origins are restricted, PUT is allowed to them for a file and nowhere else',
    async () => {
      const methodsOf = async (path: string) => {
        const headers = { Origin: GUARD.origin, 'Access-Control-Request-Method': 'PUT' }
        const response = await guarded().send(path, { method: 'OPTIONS', headers })
        assert.is(response.headers.get('Access-Control-Allow-Origin'), GUARD.origin)
        return (response.headers.get('Access-Control-Allow-Methods') ?? '').split(/, ?/)
      }
      assert.ok((await methodsOf(`/uploads/${'0'.repeat(32)}`)).includes('PUT'))
      for (const path of ['/uploads', '/prepare', '/convert', '/health'])
        assert.not.ok((await methodsOf(path)).includes('PUT'), path)
    },
  )

  test('a PUT from another origin may be read by it', async () => {
    const upload = await allowed(open(), clips().gif.length, 'image/gif')
    const headers = { ...upload.headers, Origin: 'https://page.example.com' }
    const response = await put(open(), upload, clips().gif, { headers })
    assert.is(response.status, 200)
    if (traits.presigns === undefined)
      assert.is(response.headers.get('Access-Control-Allow-Origin'), 'https://page.example.com')
  })
}
