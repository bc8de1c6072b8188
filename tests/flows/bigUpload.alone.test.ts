import { readdir, readFile, stat, statfs } from 'node:fs/promises'
import { type ClientRequest, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ProcessHost, startNodeHost } from '#support/hosts/hosts'
import { allGone } from '#support/hosts/jobs'
import { answerTo, freeBox, GIB, megabytes, peakMemory, sendZeros } from '#support/media/bigFile'
import { film, mediaFolderOfSuite } from '#support/media/media'
import { assert, suite } from '#support/runner/suite'
import { allowed, prepareUpload } from '../contract/http/requests'

// Large files pass through the server, and never through its memory: one of them longer than 31 bits can say.

const MOST_MEMORY = 200 * 1024 * 1024
const LARGE = GIB / 2

const uploads = suite('a large upload', { timeoutMs: 300_000 })
const { bavail, bsize } = await statfs(tmpdir())
const test = uploads.skipUnless(
  process.platform === 'linux' && bavail * bsize > 5 * GIB,
  'it looks into /proc and needs 5 GB of disk',
)

const media = await mediaFolderOfSuite()
let host: ProcessHost
let clip: Buffer

uploads.before(async () => {
  host = await startNodeHost({ MAX_UPLOAD_BYTES: String(2 * GIB + 1_000_000) })
  clip = await readFile(await media.make('clip.mp4', [...film('320x240', 1), '-movflags', '+faststart']))
})
uploads.after(() => host.stop())

test('512 MiB in a form are taken with less than 200 MB of memory', async () => {
  const before = await peakMemory(host)
  const length = LARGE + clip.length + freeBox(LARGE).length
  const upload = begin(host, length)
  const answered = answerTo(upload)
  const startedAt = performance.now()
  upload.write(clip)
  upload.write(freeBox(LARGE))
  await sendZeros(upload, LARGE)
  upload.end(END)
  const { status, body } = await answered
  const peak = await peakMemory(host)
  const seconds = (performance.now() - startedAt) / 1000
  console.log(
    `512 MiB in ${seconds.toFixed(1)} s; peak ${megabytes(peak)} MB of memory, ${megabytes(before)} MB before`,
  )
  assert.is(status, 200, body)
  const { session_id, frames } = JSON.parse(body)
  assert.is(frames, 30)
  assert.is((await stat(join(host.dataDir, 'store/sessions', session_id, 'original'))).size, length)
  assert.ok(peak < MOST_MEMORY, `${megabytes(peak)} MB`)
  await allGone(host)
})

test('2 GiB by POST /uploads take less than 200 MB of memory, and the disk no second time', async () => {
  const size = 2 * GIB + clip.length + freeBox(2 * GIB).length
  const { upload_id, url, headers } = await allowed(host, size)
  const startedAt = performance.now()
  const upload = request(url, { method: 'PUT', headers: { ...headers, 'Content-Length': size } })
  const answered = answerTo(upload)
  upload.write(clip)
  upload.write(freeBox(2 * GIB))
  await sendZeros(upload, 2 * GIB)
  upload.end()
  assert.equal(await answered, { status: 200, body: '' })
  const sentMs = performance.now() - startedAt
  const stored = await stat(join(host.dataDir, 'store/uploads', upload_id))
  assert.is(stored.size, size)

  const prepared = await prepareUpload(host, upload_id)
  const text = await prepared.text()
  assert.is(prepared.status, 200, text)
  const { session_id, frames } = JSON.parse(text)
  assert.is(frames, 30)
  const original = await stat(join(host.dataDir, 'store/sessions', session_id, 'original'))
  assert.equal([original.ino, original.size, original.nlink], [stored.ino, size, 1])
  const peak = await peakMemory(host)
  const preparedMs = performance.now() - startedAt - sentMs
  console.log(
    `2 GiB sent in ${(sentMs / 1000).toFixed(1)} s, prepared in ${(preparedMs / 1000).toFixed(1)} s; peak ${megabytes(peak)} MB`,
  )
  assert.ok(peak < MOST_MEMORY, `${megabytes(peak)} MB`)
  await allGone(host)
  assert.equal(await readdir(join(host.dataDir, 'store/uploads')), [`${upload_id}.status`])
})

const HEAD = Buffer.from('--x\r\nContent-Disposition: form-data; name="file"; filename="a.mp4"\r\n\r\n')
const END = Buffer.from('\r\n--x--\r\n')

function begin({ url }: ProcessHost, fileLength: number): ClientRequest {
  const upload = request(`${url}/prepare`, {
    method: 'POST',
    headers: {
      'Content-Type': 'multipart/form-data; boundary=x',
      'Content-Length': HEAD.length + fileLength + END.length,
    },
  })
  upload.write(HEAD)
  return upload
}

uploads.run()
