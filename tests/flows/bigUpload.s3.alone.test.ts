import { readFile, statfs } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { HeadObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import sharp from 'sharp'
import { startOnS3 } from '#support/hosts/hostOnS3'
import { startNodeHost } from '#support/hosts/hosts'
import { programsOn } from '#support/hosts/jobs'
import { answerTo, freeBox, GIB, megabytes, peakMemory, sendZeros } from '#support/media/bigFile'
import { film, mediaFolderOfSuite } from '#support/media/media'
import { assert, suite } from '#support/runner/suite'
import type { S3 } from '#support/store/s3'
import { suitesOnS3 } from '#support/store/suitesOnS3'
import { allowed, bytesOf, convert, type Prepared, postJson, prepareUpload } from '../contract/http/requests'
import { entriesBelow } from '../contract/ports/leaks'
import { bytesBelow, watchDisk } from './diskWatch'

// A large file goes to S3 past the server, and comes to its disk once at a time for ffmpeg, never to its memory.

const MOST_MEMORY = 300 * 1024 * 1024
/** More than twice that; what is larger than 31 bits can say goes to the disk store in bigUpload.alone.test.ts. */
const LARGE = 0.75 * GIB
/** Beside the one copy: a preview, a photo and its parts, of a film of a second. */
const MOST_BESIDE = 64 * 1024 * 1024
const { bavail, bsize } = await statfs(tmpdir())

suitesOnS3('a large file', (s3) => {
  const uploads = suite('a large file through S3', { timeoutMs: 300_000 })
  const media = mediaFolderOfSuite()
  const test = uploads.skipUnless(
    process.platform === 'linux' && bavail * bsize > 2 * GIB,
    'it looks into /proc and needs 2 GB of disk',
  )

  test('768 MiB by POST /uploads become a session and a photo, with one copy on the disk at a time', async () => {
    // Larger than previews are.
    const path = await (await media).make('clip.mp4', [...film('1920x1440', 1), '-movflags', '+faststart'])
    const clip = await readFile(path)
    const host = await startOnS3(s3(), startNodeHost, { MAX_UPLOAD_BYTES: String(GIB) })
    const diskPeak = watchDisk(host.dataDir, GIB / 16)
    try {
      const times: string[] = []
      const timed = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
        const startedAt = performance.now()
        const result = await work()
        times.push(`${what} in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
        return result
      }
      const size = LARGE + clip.length + freeBox(LARGE).length
      const { upload_id, url, headers } = await allowed(host, size)
      assert.ok(!url.startsWith(host.url), 'it goes past the server')
      const sent = await timed('sent', async () => {
        const upload = request(url, { method: 'PUT', headers: { ...headers, 'Content-Length': size } })
        const answered = answerTo(upload)
        upload.write(clip)
        upload.write(freeBox(LARGE))
        await sendZeros(upload, LARGE)
        upload.end()
        return answered
      })
      assert.equal(sent, { status: 200, body: '' })

      const session = await timed('prepared', async () => {
        const response = await prepareUpload(host, upload_id)
        const text = await response.text()
        assert.is(response.status, 200, text)
        return JSON.parse(text) as Prepared
      })
      assert.is(session.frames, 30)
      assert.equal(await leftOver(host), [])
      const keys = await keysOf(s3(), host.prefix)
      assert.equal(
        keys.map((key) => key.replace(/expires-\d+$/, 'expires-')),
        [
          `sessions/${session.session_id}/expires-`,
          `sessions/${session.session_id}/original`,
          `sessions/${session.session_id}/preview.mp4`,
          `sessions/${session.session_id}/session.json`,
          `sessions/${session.session_id}/strip.jpg`,
          `uploads/${upload_id}.status`,
        ],
      )
      assert.is(await sizeOf(s3(), `${host.prefix}/sessions/${session.session_id}/original`), size)

      const photo = await timed('converted', async () => {
        const { session_id } = session
        const fields = { session_id, range_start: '0', range_end: '1', cover_time: '0.5', speed: '1' }
        const response = await convert(host, fields)
        assert.is(response.status, 200)
        return bytesOf(response)
      })
      // The cover has the original's size, which the preview has not.
      const { width, height } = await sharp(photo).metadata()
      assert.equal([width, height], [1920, 1440])
      assert.ok(session.width < 1920)
      assert.equal(await leftOver(host), [])
      assert.ok(
        (await bytesBelow(host.dataDir)) < MOST_BESIDE,
        'only what is small stays for the next request',
      )

      const { status } = await postJson(host, '/cleanup', { session_id: session.session_id })
      assert.is(status, 200)
      assert.equal(await keysOf(s3(), host.prefix), [`uploads/${upload_id}.status`])
      assert.is(await bytesBelow(host.dataDir), 0)

      const [memory, disk] = [await peakMemory(host), await diskPeak()]
      console.log(
        `${times.join(', ')}; peak ${megabytes(memory)} MB of memory, ${megabytes(disk.bytes)} MB of disk`,
      )
      assert.ok(memory < MOST_MEMORY, `${megabytes(memory)} MB of memory`)
      assert.is(disk.largeFiles, 1)
      assert.ok(disk.bytes < size + MOST_BESIDE, `${megabytes(disk.bytes)} MB of disk`)
    } finally {
      await diskPeak()
      await host.stop()
    }
  })
  uploads.run()
})

/** What of a request is left: its files, its programs. */
async function leftOver({ dataDir }: { dataDir: string }): Promise<unknown[]> {
  const files = (await entriesBelow(dataDir)).filter((entry) => /^(work|checked-out)\/./.test(entry))
  return [...files, ...(await programsOn(dataDir))]
}

async function keysOf({ client, bucket }: S3, prefix: string): Promise<string[]> {
  const { Contents = [] } = await client.send(
    new ListObjectsV2Command({ Bucket: bucket, Prefix: `${prefix}/` }),
  )
  return Contents.map(({ Key = '' }) => Key.slice(prefix.length + 1)).sort()
}

async function sizeOf({ client, bucket }: S3, key: string): Promise<number | undefined> {
  return (await client.send(new HeadObjectCommand({ Bucket: bucket, Key: key }))).ContentLength
}
