import sharp from 'sharp'
import * as assert from 'uvu/assert'
import { equalBytes } from '#support/values/equalBytes'
import type { Contract } from './contract'
import { bytesOf, formOf, multipart, post, postJson, refused } from './requests'

export function thumbnailCases({ test, traits, open, session }: Contract): void {
  const ask = (timestamp: unknown, more: Record<string, unknown> = {}) =>
    postJson(open(), '/thumbnail', { session_id: session().session_id, timestamp, ...more })
  const sizeOf = async (jpeg: Uint8Array) => {
    const { format, width, height } = await sharp(jpeg, { failOn: 'warning' }).metadata()
    await sharp(jpeg, { failOn: 'warning' }).raw().toBuffer()
    return [format, width, height]
  }

  test("POST /thumbnail answers a JPEG of the preview's size", async () => {
    const response = await ask(1)
    const jpeg = await bytesOf(response)
    assert.is(response.status, 200)
    assert.is(response.headers.get('Content-Type'), 'image/jpeg')
    assert.is(response.headers.get('Content-Length'), String(jpeg.length))
    assert.is(response.headers.get('Cache-Control'), 'no-store')
    assert.equal(await sizeOf(jpeg), ['jpeg', 320, 240])
  })

  test('width shrinks it, and never makes it larger than the preview', async () => {
    for (const [width, expected] of [
      [16, [16, 12]],
      [160, [160, 120]],
      [320, [320, 240]],
      [1920, [320, 240]],
    ] as const)
      assert.equal(await sizeOf(await bytesOf(await ask(0.5, { width }))), ['jpeg', ...expected])
  })

  test('each time has its own frame; the last frame answers until its time is over', async () => {
    const at = async (timestamp: number) => bytesOf(await ask(timestamp))
    const [first, second, last] = [await at(0), await at(1 / 30), await at(59 / 30)]
    equalBytes(await at(0.033), first)
    assert.not.ok(Buffer.from(first).equals(second))
    for (const timestamp of [1.999, 2, 2.033]) equalBytes(await at(timestamp), last, String(timestamp))
    assert.not.ok(Buffer.from(last).equals(await at(58 / 30)))
  })

  test('a timestamp outside the preview is 422', async () => {
    for (const timestamp of [-0.001, -1, 2 + 1 / 30 + 0.001, 3, 1e9])
      await refused(ask(timestamp), 422, /^timestamp must be from 0 to .*2\.000 s/)
  })

  test('a field that is missing or of the wrong type is 422 and is named', async () => {
    for (const timestamp of [undefined, null, '1', true, [1], {}])
      await refused(ask(timestamp), 422, /^timestamp /)
    for (const session_id of [undefined, null, 1, '', []])
      await refused(ask(1, { session_id }), 422, /^session_id /)
    for (const width of [15, 1921, 1.5, '320', null, -1, 0, 1e99])
      await refused(ask(1, { width }), 422, /^width must be/)
    for (const body of traits.readsBodies ? ['[]'] : ['null', '[]', '"text"', '1', 'true'])
      await refused(postJson(open(), '/thumbnail', body), 422, /JSON object/)
    const huge = `{"session_id":"${session().session_id}","timestamp":1e999}`
    await refused(postJson(open(), '/thumbnail', huge), 422, /^timestamp /)
    await refused(post(open(), '/thumbnail'), 422, /session_id is missing/)
  })

  test('malformed JSON is 400, another content type 415, and a body that is too large 413', async () => {
    for (const body of ['{', '{"session_id":', 'x', '{} {}', "{'a':1}"])
      await refused(postJson(open(), '/thumbnail', body), 400, /cannot be read/)
    const body = JSON.stringify({ session_id: session().session_id, timestamp: 1 })
    const headers = { 'Content-Type': 'text/plain' }
    const types = /^The Content-Type must be application\/x-www.* multipart\/form-data or application\/json/
    await refused(post(open(), '/thumbnail', body, { headers }), 415, types)
    await refused(ask(1, { x: 'x'.repeat(70_000) }), 413, /65536 bytes/)
    const typed = { 'Content-Type': 'application/json; charset=utf-8' }
    assert.is((await post(open(), '/thumbnail', body, { headers: typed })).status, 200)
  })

  test('the fields may be sent as either kind of form, with the same answers', async () => {
    const { session_id } = session()
    const send = (kind: string, fields: Record<string, string>) =>
      post(
        open(),
        '/thumbnail',
        kind === 'multipart' ? formOf(undefined, '', fields) : new URLSearchParams(fields),
      )
    const expected = await bytesOf(await ask(0.5, { width: 160 }))
    for (const kind of ['multipart', 'url-encoded']) {
      const refusedFor = (fields: Record<string, string>, words: RegExp, status = 422) =>
        refused(send(kind, { session_id, timestamp: '0.5', ...fields }), status, words)
      equalBytes(await bytesOf(await send(kind, { session_id, timestamp: '0.5', width: '160' })), expected)
      const whole = await send(kind, { session_id, timestamp: ' 5e-1', width: '' })
      assert.equal(await sizeOf(await bytesOf(whole)), ['jpeg', 320, 240], 'an empty field is left out')
      await refused(send(kind, {}), 422, /^session_id is missing\. timestamp is missing\./)
      for (const timestamp of ['x', '1,5', '0x1', 'Infinity', '1e999'])
        await refusedFor({ timestamp }, /^timestamp must be a finite number/)
      await refusedFor({ timestamp: '' }, /^timestamp is missing/)
      await refusedFor({ timestamp: '9' }, /^timestamp must be from 0 to/)
      for (const width of ['15', '16.5', 'wide']) await refusedFor({ width }, /^width must be/)
      await refusedFor({ widht: '160' }, /Did you mean width\?/, 400)
      await refusedFor({ session_id: '0'.repeat(32) }, /no such session/, 404)
      await refusedFor({ x: 'x'.repeat(70_000) }, /65536 bytes/, 413)
    }
  })

  test('a form that is broken, has a field twice or one as a file, is refused', async () => {
    const { session_id } = session()
    const heads = { session_id, timestamp: '1' }
    const parts = Object.entries(heads).map(([name, body]) => ({ head: `name="${name}"`, body }))
    const { body, headers } = multipart(parts, { end: false })
    await refused(post(open(), '/thumbnail', body, { headers }), 400, /ended before it was complete/)
    const twice = new URLSearchParams({ ...heads, width: '160' })
    twice.append('width', '320')
    await refused(post(open(), '/thumbnail', twice), 422, /"width" was sent twice/)
    const asFile = formOf(Buffer.from('1'), 'timestamp', { session_id })
    await refused(post(open(), '/thumbnail', asFile), 400, /"timestamp" was sent as a file/)
    const another = formOf(Buffer.from('1'), 'notes', heads)
    assert.is((await post(open(), '/thumbnail', another)).status, 200)
  })

  test('a session that does not exist is 404', async () => {
    for (const session_id of ['0'.repeat(32), 'x', '../x'])
      await refused(ask(1, { session_id }), 404, /no such session/)
  })
}
