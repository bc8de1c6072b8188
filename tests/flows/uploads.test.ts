import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { allGone, hostsOfEachTest, isWorking, leaveAtWork, sessionsIn, slowFfmpeg } from '#support/hosts/jobs'
import { film, mediaFolderOf } from '#support/media/media'
import { assert, suite } from '#support/runner/suite'
import { until } from '#support/values/until'
import {
  allowed,
  jsonOf,
  type Prepared,
  prepareUpload,
  put,
  refused,
  uploaded,
} from '../contract/http/requests'
import { entriesBelow } from '../contract/ports/leaks'

// Uploads and real servers: several on one folder, one that is killed, clients that leave.

const uploads = suite('uploads to Node hosts', { timeoutMs: 60_000 })
const test = uploads.skipUnless(process.platform === 'linux', 'it looks into /proc')
const media = await mediaFolderOf(uploads)
const start = hostsOfEachTest(uploads)
let long: Uint8Array
let short: Uint8Array

uploads.before(async () => {
  const filmOf = async (seconds: number) =>
    readFile(await media.make(`${seconds}.mp4`, film('160x120', seconds)))
  long = await filmOf(30)
  short = await filmOf(1)
})

test('of several servers on one folder, one prepares an upload, wherever it was sent', async () => {
  const dataDir = media.path('shared')
  const all = await Promise.all([1, 2, 3].map(() => start({ DATA_DIR: dataDir })))
  const [first, second] = all
  assert.ok(first && second)
  for (let round = 1; round <= 5; round++) {
    const upload = await allowed(first, short.length)
    // Its address names the server that gave it; the other takes it as well.
    const url = upload.url.replace(first.url, second.url)
    assert.is((await put(second, { ...upload, url }, short)).status, 200)
    const answers = await Promise.all(all.map((host) => prepareUpload(host, upload.upload_id)))
    const statuses = answers.map(({ status }) => status)
    assert.is(statuses.filter((status) => status === 200).length, 1, String(statuses))
    assert.is((await sessionsIn(dataDir)).length, round)
  }
  // What GET /uploads/{id} tells of them stays until the sweep.
  const left = await entriesBelow(join(dataDir, 'store/uploads'))
  assert.equal(
    left.map((name) => name.replace(/^[0-9a-f]{32}/, '')),
    Array(5).fill('.status'),
  )
})

test('a server that is killed while it prepares an upload leaves no session, and the upload to the sweep', async () => {
  const dataDir = media.path('killed')
  const doomed = await start({ FFMPEG_PATH: await slowFfmpeg(media), DATA_DIR: dataDir })
  const id = await uploaded(doomed, long)
  const answer = prepareUpload(doomed, id).catch(() => undefined)
  await isWorking(doomed)
  doomed.server.signal('SIGKILL')
  await doomed.server.ended
  await answer

  const next = await start({ DATA_DIR: dataDir })
  assert.equal(await sessionsIn(dataDir), [])
  await refused(await prepareUpload(next, id), 409, /try again in half a minute/)
  const other = await uploaded(next, short)
  const { frames } = await jsonOf<Prepared>(await prepareUpload(next, other))
  assert.is(frames, 30)
  await allGone(next)
  assert.equal(
    await entriesBelow(join(dataDir, 'store/uploads')),
    [id, `${id}.claim`, `${id}.json`, `${id}.status`, `${id}.stored`, `${other}.status`].sort(),
  )
})

test('a client that leaves in the middle of its file, or of its preparation, may come again', async () => {
  const host = await start({ FFMPEG_PATH: await slowFfmpeg(media) })
  const upload = await allowed(host, long.length)
  const sending = request(upload.url, { method: 'PUT', headers: { ...upload.headers } })
  sending.on('error', () => undefined)
  sending.write(long.subarray(0, 20_000))
  const partIsThere = async () =>
    (await entriesBelow(join(host.dataDir, 'work'))).some((entry) => entry.endsWith('/upload'))
  await until('a part of the file is on the disk', partIsThere)
  sending.destroy()
  await allGone(host)
  assert.is((await put(host, upload, long)).status, 200)

  await leaveAtWork(host, (signal) => prepareUpload(host, upload.upload_id, { signal }))
  assert.equal(await sessionsIn(host.dataDir), [])
  const again = prepareUpload(host, upload.upload_id).catch(() => undefined)
  await isWorking(host)
  host.server.signal('SIGKILL')
  await again
})

uploads.run()
