import * as assert from 'uvu/assert'
import { equalBytes } from '#support/values/equalBytes'
import type { Contract } from './contract'
import { bytesOf, refused } from './requests'

export function previewCases({ test, traits, open, session }: Contract): void {
  const path = () => `/preview/${session().session_id}.mp4`
  const ask = (headers: Record<string, string> = {}, method = 'GET') =>
    open().send(path(), { method, headers })
  const whole = async () => bytesOf(await ask())
  const etag = async () => (await ask({}, 'HEAD')).headers.get('ETag') ?? ''
  const ranged = test.skipUnless(traits.noRanges === undefined, traits.noRanges ?? '')

  test('GET and HEAD /preview answer the MP4 with the headers a player needs', async () => {
    const get = await ask()
    const bytes = await bytesOf(get)
    const head = await ask({}, 'HEAD')
    assert.is(await head.text(), '')
    assert.is(Buffer.from(bytes).toString('latin1', 4, 8), 'ftyp')
    for (const response of [get, head]) {
      assert.is(response.status, 200)
      assert.is(response.headers.get('Content-Type'), 'video/mp4')
      assert.is(response.headers.get('Content-Length'), String(bytes.length))
      assert.is(response.headers.get('Accept-Ranges'), 'bytes')
      assert.is(response.headers.get('Cache-Control'), 'private, max-age=3600')
      assert.is(response.headers.get('Cross-Origin-Resource-Policy'), 'cross-origin')
      assert.is(response.headers.get('X-Content-Type-Options'), 'nosniff')
      assert.match(response.headers.get('ETag') ?? '', /^"[^"]+"$/)
      assert.is(response.headers.get('Content-Range'), null)
      assert.is(response.headers.get('Content-Encoding'), null)
    }
    assert.is(get.headers.get('ETag'), head.headers.get('ETag'))
    equalBytes(await whole(), bytes)
  })

  test('If-None-Match with the entity tag is 304 without a body', async () => {
    const tag = await etag()
    for (const method of ['GET', 'HEAD'])
      for (const value of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
        const response = await ask({ 'If-None-Match': value }, method)
        assert.is(response.status, 304, value)
        assert.is(await response.text(), '')
        assert.is(response.headers.get('ETag'), tag)
        assert.is(response.headers.get('Cache-Control'), 'private, max-age=3600')
      }
    for (const value of ['"other"', tag.slice(0, -1)]) {
      const response = await ask({ 'If-None-Match': value })
      assert.is(response.status, 200, value)
      await response.arrayBuffer()
    }
  })

  test('a preview that does not exist is 404, and so is a name that is no session', async () => {
    const id = session().session_id
    const other = `${id.startsWith('0') ? '1' : '0'}${id.slice(1)}`
    const ids = [other, id.toUpperCase(), id.slice(1), `${id}0`, '', 'a'.repeat(4000)]
    const encoded = [`${id}%2Fpreview`, `..%2Fsessions%2F${id}%2Fpreview`, `${id}%00`, `%20${id}`]
    const names = [
      ...[...ids, ...encoded, `${id}.mp4`].map((one) => `${one}.mp4`),
      ...[id, `${id}.MP4`, 'session.json', '%2e%2e%2f%2e%2e%2fetc%2fpasswd'],
    ]
    // An upper-case id of digits alone would be the id itself.
    for (const name of names.filter((one) => one !== `${id}.mp4`)) {
      await refused(open().send(`/preview/${name}`), 404)
      assert.is((await open().send(`/preview/${name}`, { method: 'HEAD' })).status, 404, name)
    }
  })

  ranged('one byte range is 206 with just its bytes', async () => {
    const bytes = await whole()
    const size = bytes.length
    const cases: readonly [string, number, number][] = [
      ['bytes=0-0', 0, 0],
      ['bytes=100-199', 100, 199],
      ['bytes=0-', 0, size - 1],
      [`bytes=${size - 10}-${size + 5000}`, size - 10, size - 1],
      ['bytes=-500', size - 500, size - 1],
      [`bytes=-${size + 1}`, 0, size - 1],
    ]
    for (const [range, start, end] of cases)
      for (const method of ['GET', 'HEAD']) {
        const response = await ask({ Range: range }, method)
        assert.is(response.status, 206, range)
        assert.is(response.headers.get('Content-Range'), `bytes ${start}-${end}/${size}`)
        assert.is(response.headers.get('Content-Length'), String(end - start + 1))
        assert.is(response.headers.get('Content-Type'), 'video/mp4')
        assert.is(response.headers.get('Accept-Ranges'), 'bytes')
        assert.ok(response.headers.get('ETag'))
        equalBytes(
          await bytesOf(response),
          method === 'GET' ? bytes.subarray(start, end + 1) : new Uint8Array(),
          range,
        )
      }
  })

  ranged('ranges read one after the other are the whole preview', async () => {
    const bytes = await whole()
    const parts: Uint8Array[] = []
    for (let start = 0; start < bytes.length; start += 10_007)
      parts.push(await bytesOf(await ask({ Range: `bytes=${start}-${start + 10_006}` })))
    equalBytes(new Uint8Array(Buffer.concat(parts)), bytes)
  })

  ranged('a range outside the preview is 416 and tells the size', async () => {
    const size = (await whole()).length
    for (const range of [`bytes=${size}-`, `bytes=${size}-${size + 1}`, 'bytes=99999999999-', 'bytes=-0']) {
      const response = await ask({ Range: range })
      assert.is(response.headers.get('Content-Range'), `bytes */${size}`, range)
      await refused(response, 416, /outside/)
      assert.is((await ask({ Range: range }, 'HEAD')).status, 416)
    }
  })

  ranged('malformed ranges, other units and several ranges get the whole preview', async () => {
    const bytes = await whole()
    const ranges = '2-1 - a-b 1-2x 0x1-2 1.5-2 +1-2 --1 0-1,3-4 0-1,'
      .split(' ')
      .map((range) => `bytes=${range}`)
    for (const range of [...ranges, 'bytes=', 'bytes', 'items=0-1', 'bytes 0-1']) {
      const response = await ask({ Range: range })
      assert.is(response.status, 200, range)
      assert.is(response.headers.get('Content-Range'), null)
      equalBytes(await bytesOf(response), bytes, range)
    }
  })

  ranged('If-Range keeps the range only for exactly this entity tag', async () => {
    const tag = await etag()
    const statusFor = async (ifRange: string) => {
      const response = await ask({ Range: 'bytes=0-9', 'If-Range': ifRange })
      await response.arrayBuffer()
      return response.status
    }
    assert.is(await statusFor(tag), 206)
    for (const other of [`W/${tag}`, '"other"', new Date().toUTCString(), 'x'])
      assert.is(await statusFor(other), 200, other)
  })

  ranged('If-None-Match wins over a range', async () => {
    assert.is((await ask({ Range: 'bytes=0-9', 'If-None-Match': await etag() })).status, 304)
  })
}
