import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ByteRange, ObjectStore } from '#core/media/objectStore/ports'
import { encodeSession } from '#core/media/sessions/session'
import { UNKNOWN_CAPTURE } from '#core/media/traits'
import type { Host } from '#support/hosts/hosts'
import { restApi } from '#support/hosts/lambdaEvents'
import { startLambdaHost } from '#support/hosts/lambdaHost'
import { PREVIEW } from '#support/media/prepared'
import { assert, suite } from '#support/runner/suite'
import { equalBytes } from '#support/values/equalBytes'

// What a streamed function reads from the store, counted at the store.

const test = suite('previews streamed by Lambda')
const id = '0123456789abcdef0123456789abcdef'
const preview = randomBytes(12_000_000)
let host: Host
let opened: { range: ByteRange | undefined; read: number }[] = []

test.before(async () => {
  host = await startLambdaHost(
    {},
    { door: restApi, responseMode: 'stream', machine: ({ store }) => ({ store: counting(store) }) },
  )
  const folder = join(host.dataDir, 'store/sessions', id)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'preview.mp4'), preview)
  await writeFile(join(folder, 'session.json'), encodeSession(session))
})
test.after(() => host.stop())
test.before.each(() => {
  opened = []
})

test('a preview of 12 MB arrives whole', async () => {
  const response = await host.send(`/preview/${id}.mp4`)
  assert.is(response.status, 200)
  assert.is(response.headers.get('Content-Length'), String(preview.length))
  equalBytes(Buffer.from(await response.arrayBuffer()), preview)
})

test('a range reads its own bytes from the store and no others', async () => {
  for (const [range, start, end] of [
    ['bytes=0-0', 0, 0],
    ['bytes=5000000-5000999', 5_000_000, 5_000_999],
    ['bytes=-1000', 11_999_000, 11_999_999],
    ['bytes=6000000-', 6_000_000, 11_999_999],
  ] as const) {
    opened = []
    const response = await host.send(`/preview/${id}.mp4`, { headers: { Range: range } })
    assert.is(response.status, 206)
    assert.is(response.headers.get('Content-Range'), `bytes ${start}-${end}/12000000`)
    equalBytes(Buffer.from(await response.arrayBuffer()), preview.subarray(start, end + 1))
    assert.equal(
      opened.map(({ range: asked, read }) => [asked?.start, asked?.end, read]),
      [[start, end, end - start + 1]],
    )
  }
})

test('HEAD, 304 and 416 read nothing', async () => {
  const url = `/preview/${id}.mp4`
  assert.is((await host.send(url, { method: 'HEAD' })).status, 200)
  assert.is((await host.send(url, { headers: { 'If-None-Match': `"${id}"` } })).status, 304)
  const outside = await host.send(url, { headers: { Range: 'bytes=12000000-' } })
  assert.is(outside.status, 416)
  assert.is(outside.headers.get('Content-Range'), 'bytes */12000000')
  assert.equal(opened, [])
})

function counting(store: ObjectStore): ObjectStore {
  return {
    ...store,
    async open(key, range) {
      const object = await store.open(key, range)
      if (object === undefined) return undefined
      const entry = { range, read: 0 }
      opened.push(entry)
      const body = object.body.pipeThrough(
        new TransformStream<Uint8Array, Uint8Array>({
          transform(chunk, controller) {
            entry.read += chunk.length
            controller.enqueue(chunk)
          },
        }),
      )
      return { ...object, body }
    },
  }
}

const session = {
  id,
  createdAt: Math.floor(Date.now() / 1000),
  expiresAt: Math.floor(Date.now() / 1000) + 3600,
  durationMs: 1000,
  frames: 30,
  width: 320,
  height: 240,
  hasAudio: false,
  sourceSeconds: 1,
  capture: UNKNOWN_CAPTURE,
  strip: undefined,
  original: { ...PREVIEW.original, size: { width: 320, height: 240 }, matrix: 'bt601' },
} as const

test.run()
