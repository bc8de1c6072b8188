import { OpenAPIHono } from '@hono/zod-openapi'
import type { MediaEnv } from '#core/media/api/mediaRoute'
import { previewRoute } from '#core/media/api/preview'
import type { ByteRange } from '#core/media/objectStore/ports'
import type { PreviewLink } from '#core/media/sessions/previewLinks'
import { assert, suite } from '#support/runner/suite'

const test = suite('the route of the preview')

const ID = '0f8fad5bd9cb469fa16570867728950e'
const ETAG = `"${ID}"`
const BYTES = Uint8Array.of(10, 11, 12, 13, 14, 15, 16, 17, 18, 19)

test('the whole preview, with its headers', async () => {
  const { response, opened } = await send()
  assert.is(response.status, 200)
  assert.equal(Object.fromEntries(response.headers), {
    'accept-ranges': 'bytes',
    'cache-control': 'private, max-age=3600',
    'content-length': '10',
    'content-type': 'video/mp4',
    'cross-origin-resource-policy': 'cross-origin',
    etag: ETAG,
    'x-content-type-options': 'nosniff',
  })
  assert.equal(await bytesOf(response), [...BYTES])
  assert.equal(opened, [[ID, undefined]])
})

for (const [range, start, end] of [
  ['bytes=0-0', 0, 0],
  ['bytes=3-5', 3, 5],
  ['bytes=8-', 8, 9],
  ['bytes=-2', 8, 9],
  ['bytes=0-999', 0, 9],
] as const)
  test(`${range} is answered with bytes ${start} to ${end}`, async () => {
    const { response, opened } = await send({ Range: range })
    assert.is(response.status, 206)
    assert.is(response.headers.get('Content-Range'), `bytes ${start}-${end}/10`)
    assert.is(response.headers.get('Content-Length'), String(end - start + 1))
    assert.equal(await bytesOf(response), [...BYTES.subarray(start, end + 1)])
    assert.equal(opened, [[ID, { kind: 'part', start, end }]])
  })

test('a range outside the preview is 416, and nothing is opened', async () => {
  const { response, opened } = await send({ Range: 'bytes=10-' })
  assert.is(response.status, 416)
  assert.is(response.headers.get('Content-Range'), 'bytes */10')
  assert.equal(await response.json(), {
    detail: 'The range lies outside the preview, which has 10 bytes.',
    code: 'out-of-range',
  })
  assert.equal(opened, [])
})

test('a client that has it already gets 304, and nothing is opened', async () => {
  const { response, opened } = await send({ 'If-None-Match': `"x", ${ETAG}`, Range: 'bytes=0-0' })
  assert.equal([response.status, response.headers.get('ETag'), await response.text()], [304, ETAG, ''])
  assert.equal(opened, [])
})

test('a range of another version is ignored', async () => {
  assert.is((await send({ Range: 'bytes=0-0', 'If-Range': '"x"' })).response.status, 200)
  assert.is((await send({ Range: 'bytes=0-0', 'If-Range': ETAG })).response.status, 206)
})

test('HEAD opens nothing, and has the length of what GET answers', async () => {
  for (const [headers, status, length] of [
    [{}, 200, '10'],
    [{ Range: 'bytes=3-5' }, 206, '3'],
  ] as const) {
    const { response, opened } = await send(headers, { method: 'HEAD' })
    assert.equal([response.status, response.headers.get('Content-Length')], [status, length])
    assert.equal([await response.text(), opened], ['', []])
  }
})

test('the name of another file is 404 before a session is looked for', async () => {
  for (const file of [`${ID}.jpg`, ID, '.mp4']) {
    const { response, sizesOf } = await send({}, { file })
    assert.equal([response.status, sizesOf], [404, []], file)
  }
  assert.equal((await send({}, { file: `${ID}.mp4` })).sizesOf, [ID])
})

test('with signed addresses a GET is redirected, and nothing is opened', async () => {
  const linkTo = async (id: string) => `https://store.test/${id}?signature`
  const { response, opened, sizesOf } = await send({ Range: 'bytes=3-5' }, { linkTo })
  assert.is(response.status, 307)
  assert.is(response.headers.get('Location'), `https://store.test/${ID}?signature`)
  assert.is(response.headers.get('Cache-Control'), 'private, max-age=300')
  assert.equal([opened, sizesOf], [[], [ID]], 'the session is looked for all the same')
  // An address is signed for GET only, and a preview that the client has needs none.
  assert.is((await send({}, { linkTo, method: 'HEAD' })).response.status, 200)
  assert.is((await send({ 'If-None-Match': ETAG }, { linkTo })).response.status, 304)
})

type Sending = { readonly method?: string; readonly file?: string; readonly linkTo?: PreviewLink }

async function send(
  headers: Record<string, string> = {},
  { method = 'GET', file = `${ID}.mp4`, linkTo }: Sending = {},
) {
  const sizesOf: string[] = []
  const opened: [string, ByteRange | undefined][] = []
  const app = new OpenAPIHono<MediaEnv>()
  const sessions = {
    async previewSize(id: string) {
      sizesOf.push(id)
      return BYTES.length
    },
    async openPreview(id: string, range: ByteRange | undefined) {
      opened.push([id, range])
      const part = range ? BYTES.slice(range.start, range.end + 1) : BYTES
      return { size: part.length, body: new Blob([part]).stream() }
    },
  }
  previewRoute(sessions, linkTo).register(app)
  return { response: await app.request(`/preview/${file}`, { method, headers }), opened, sizesOf }
}

async function bytesOf(response: Response): Promise<number[]> {
  return [...new Uint8Array(await response.arrayBuffer())]
}

test.run()
