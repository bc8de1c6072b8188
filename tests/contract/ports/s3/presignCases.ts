import { setTimeout as sleep } from 'node:timers/promises'
import { assert, suite } from '#support/runner/suite'
import type { S3 } from '#support/store/s3'
import { noise } from '#support/values/bytes'
import { equalBytes } from '#support/values/equalBytes'
import { present, refusal } from '../expected'
import { type OpenStore, openStore } from './openStore'

const contentType = 'video/quicktime'
const film = noise(100_001)

/** Uploads that pass us by: the server itself must refuse what was not allowed. */
export function presignCases(s3: () => S3): void {
  const test = suite('a presigned PUT to S3', { timeoutMs: 30_000 })
  let under: OpenStore

  test.before.each(async () => {
    under = await openStore(s3())
  })
  test.after.each(() => under.close())

  const allow = (key = 'uploads/1', expiresInSeconds = 60) =>
    under.store.presignPut(key, { size: film.length, contentType, expiresInSeconds })
  const put = async (url: string, body: Uint8Array, headers: Readonly<Record<string, string>>) => {
    const response = await fetch(url, { method: 'PUT', body: body as Uint8Array<ArrayBuffer>, headers })
    await response.arrayBuffer()
    return response.status
  }

  test('a signed GET serves the object, whole and in ranges, with the headers that were asked for', async () => {
    await under.store.putBytes('sessions/1', film, { contentType: 'application/octet-stream' })
    const answer = { contentType: 'video/mp4', cacheControl: 'private, max-age=3600' }
    const url = await under.store.presignGet('sessions/1', { ...answer, expiresInSeconds: 60 })
    const whole = await fetch(url)
    assert.is(whole.status, 200)
    assert.is(whole.headers.get('Content-Type'), 'video/mp4')
    assert.is(whole.headers.get('Cache-Control'), 'private, max-age=3600')
    equalBytes(new Uint8Array(await whole.arrayBuffer()), film)
    const part = await fetch(url, { headers: { Range: 'bytes=10-19' } })
    assert.is(part.status, 206)
    equalBytes(new Uint8Array(await part.arrayBuffer()), film.subarray(10, 20))
    for (const [method, address] of [
      ['GET', url.replace('sessions/1', 'sessions/2')],
      ['GET', url.replace('video%2Fmp4', 'text%2Fhtml')],
      ['PUT', url],
      ['DELETE', url],
    ] as const) {
      const response = await fetch(address, { method })
      await response.arrayBuffer()
      assert.is(response.status, 403, `${method} ${address}`)
    }
  })

  test('length, type and that nothing is there are among what is signed, and no checksum of an empty body is asked for', async () => {
    const { url } = await allow()
    const query = new URL(url).searchParams
    assert.is(query.get('X-Amz-SignedHeaders'), 'content-length;content-type;host;if-none-match')
    assert.is(query.get('X-Amz-Expires'), '60')
    const checksums = [...query.keys()].filter((name) => /checksum/i.test(name))
    assert.equal(checksums, [])
  })

  test('a longer or shorter body is refused, and nothing is stored', async () => {
    const { url, headers } = await allow()
    for (const length of [film.length + 1, film.length * 2, film.length - 1, 0]) {
      const body = new Uint8Array(length)
      assert.is(await put(url, body, headers), 403, `${length} bytes`)
    }
    assert.is(await under.store.head('uploads/1'), undefined)
  })

  test('another type, none, and another key are refused', async () => {
    const { url, headers } = await allow()
    for (const type of ['video/mp4', 'text/html', `${contentType}; charset=x`])
      assert.is(await put(url, film, { ...headers, 'Content-Type': type }), 403, type)
    for (const missing of Object.keys(headers)) {
      const others = Object.entries(headers).filter(([name]) => name !== missing)
      assert.is(await put(url, film, Object.fromEntries(others)), 403, `without ${missing}`)
    }
    assert.is(await put(url.replace('uploads/1', 'uploads/2'), film, headers), 403)
    assert.is(await put(url.replace('uploads/1', 'sessions/1'), film, headers), 403)
    const { pathname } = new URL(url)
    assert.is(await put(url.replace(pathname, pathname.replace('uploads', 'sessions')), film, headers), 403)
    for (const key of ['uploads/1', 'uploads/2', 'sessions/1'])
      assert.is(await under.store.head(key), undefined)
  })

  test('exactly what was allowed is stored; a second file is refused, and the first stays', async () => {
    const { url, headers } = await allow()
    assert.equal(headers, { 'Content-Type': contentType, 'If-None-Match': '*' })
    assert.is(await put(url, film, headers), 200)
    const other = noise(film.length).reverse()
    assert.is(await put(url, other, headers), 412)
    assert.is(await put(url, other, { ...headers, 'If-None-Match': '"x"' }), 403)
    equalBytes(present(await under.store.get('uploads/1')), film)
  })

  test('of several at once one is stored whole', async () => {
    const { url, headers } = await allow()
    const files = [0, 1, 2, 3].map((number) => new Uint8Array(film.length).fill(number))
    const statuses = await Promise.all(files.map((file) => put(url, file, headers)))
    assert.is(statuses.filter((status) => status === 200).length, 1, String(statuses))
    equalBytes(present(await under.store.get('uploads/1')), files[statuses.indexOf(200)] ?? film)
  })

  test('nothing but a PUT is allowed', async () => {
    const { url, headers } = await allow()
    assert.is(await put(url, film, headers), 200)
    for (const method of ['GET', 'HEAD', 'DELETE']) {
      const response = await fetch(url, { method, headers })
      await response.arrayBuffer()
      assert.is(response.status, 403, method)
    }
    equalBytes(present(await under.store.get('uploads/1')), film)
  })

  test('after its time nothing is stored', async () => {
    const { url, headers } = await allow('uploads/1', 1)
    await sleep(2100)
    assert.is(await put(url, film, headers), 403)
    assert.is(await under.store.head('uploads/1'), undefined)
  })

  test('no key is no permission', async () => {
    for (const key of ['../x', '', 'a//b', '/a']) await refusal(allow(key), 'internal')
  })
  test.run()
}
