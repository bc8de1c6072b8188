import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { startDirectHost } from '#support/hosts/directHost'
import { X264 } from '#support/media/containers'
import { mediaFolderOfSuite } from '#support/media/media'
import { assert, suite } from '#support/runner/suite'
import { countingStore } from '#support/store/countingStore'
import { prepared } from '../contract/http/requests'

// A session of ten minutes and 60 MB, of which single frames and three seconds are wanted. It is one of a second, repeated.

const test = suite('bytes read from the store', { timeoutMs: 120_000 })
const media = await mediaFolderOfSuite()
let id = ''
const keys = { preview: '', original: '' }
const FILES = { preview: 'preview.mp4', original: 'original' } as const
const SECONDS = 600
const MAX_BYTES = 1_500_000
let reads: ReturnType<typeof countingStore> | undefined
const host = await startDirectHost(
  {},
  {
    machine: ({ store }) => {
      reads = countingStore(store)
      return { store: reads.store }
    },
  },
)

test.before(async () => {
  const scene = ['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=30:d=1,noise=alls=6:allf=t']
  const sound = ['-f', 'lavfi', '-i', 'sine=d=1', '-c:a', 'aac']
  const upload = await media.make('second.mp4', [...scene, ...sound, ...X264, '-g', '30', '-crf', '18'])
  id = (await prepared(host, await readFile(upload))).session_id
  for (const file of ['preview', 'original'] as const) keys[file] = `sessions/${id}/${FILES[file]}`
  const stored = (name: string) => join(host.dataDir, 'store/sessions', id, name)
  const repeat = (input: string) => ['-stream_loop', String(SECONDS - 1), '-i', input, '-c', 'copy']
  const preview = await media.make('preview.mp4', [
    ...repeat(stored(FILES.preview)),
    '-movflags',
    '+faststart',
  ])
  // As phones write it: the index last.
  const original = await media.make('original.mp4', repeat(upload))
  await writeFile(stored(FILES.preview), await readFile(preview))
  await writeFile(stored(FILES.original), await readFile(original))
  const record: Record<string, unknown> = JSON.parse(await readFile(stored('session.json'), 'utf8'))
  const length = { duration_ms: SECONDS * 1000, frames: SECONDS * 30, source_seconds: SECONDS }
  await writeFile(stored('session.json'), JSON.stringify({ ...record, ...length, strip: null }))
  const { size } = await stat(preview)
  assert.ok(size > 50_000_000 && size < 90_000_000, `${size} bytes`)
})
test.before.each(() => reads?.reset())
test.after(() => host.stop())

const bytesOf = (key: string) => reads?.bytesOf(key) ?? Number.POSITIVE_INFINITY

async function send(path: string, body?: string | URLSearchParams, headers: Record<string, string> = {}) {
  const response = await host.send(path, body === undefined ? {} : { method: 'POST', body, headers })
  const bytes = new Uint8Array(await response.arrayBuffer())
  assert.is(response.status, 200, new TextDecoder().decode(bytes.subarray(0, 300)))
  return bytes
}

test('a thumbnail reads the index and its group', async () => {
  const jpeg = await send('/thumbnail', JSON.stringify({ session_id: id, timestamp: 412.3 }), {
    'Content-Type': 'application/json',
  })
  assert.is((await sharp(jpeg).metadata()).width, 320)
  assert.ok(bytesOf(keys.preview) < MAX_BYTES, `${bytesOf(keys.preview)} bytes`)
  assert.is(bytesOf(keys.original), 0)
})

test('a further frame reads its group only', async () => {
  await send(`/sessions/${id}/frames/9014.jpg`)
  assert.ok(bytesOf(keys.preview) < 150_000, `${bytesOf(keys.preview)} bytes`)
})

test('three seconds read the index and their samples; the cover its group', async () => {
  const range = { session_id: id, range_start: '400.1', range_end: '403.1', cover_time: '401', speed: '1' }
  await send('/convert', new URLSearchParams(range))
  assert.ok(bytesOf(keys.preview) < MAX_BYTES, `${bytesOf(keys.preview)} bytes of the preview`)
  assert.ok(bytesOf(keys.original) < MAX_BYTES, `${bytesOf(keys.original)} bytes of the original`)
})

test('the same cover again reads nothing of the original', async () => {
  const range = { session_id: id, range_start: '400.5', range_end: '403.1', cover_time: '401', speed: '2' }
  await send('/convert', new URLSearchParams(range))
  assert.is(bytesOf(keys.original), 0)
})

test('a range reads its own bytes of the preview; HEAD, 304 and 416 read none', async () => {
  for (const [init, bytes] of [
    [{ headers: { Range: 'bytes=0-0' } }, 1],
    [{ headers: { Range: 'bytes=5000000-5000999' } }, 1000],
    [{ headers: { Range: 'bytes=-1000' } }, 1000],
    [{ headers: { Range: 'bytes=999999999-' } }, 0],
    [{ headers: { 'If-None-Match': '*' } }, 0],
    [{ method: 'HEAD' }, 0],
  ] as const) {
    reads?.reset()
    await (await host.send(`/preview/${id}.mp4`, init)).arrayBuffer()
    assert.is(bytesOf(keys.preview), bytes, JSON.stringify(init))
  }
})

test.run()
