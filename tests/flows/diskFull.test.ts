import { spawnSync } from 'node:child_process'
import { readFile, rm, rmdir, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ProcessHost, startNodeHost } from '#support/hosts/hosts'
import { allGone, sessionsIn } from '#support/hosts/jobs'
import { X264 } from '#support/media/containers'
import { mediaFolderOfSuite } from '#support/media/media'
import { makeTempFolder } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { padded } from '#support/values/padded'
import { until } from '#support/values/until'
import { allowed, convert, prepare, prepared, prepareUpload, put, refused } from '../contract/http/requests'

// A disk that is really full: a small one in memory, which only root can make.

const suiteOf = suite('a full disk')
const test = suiteOf.skipUnless(canMount(), 'no small file system can be mounted')
const SIZE = 8 * 1024 * 1024
const media = await mediaFolderOfSuite()
let disk = ''
let host: ProcessHost
let film: Uint8Array

suiteOf.before(async () => {
  disk = await makeTempFolder('lantern-disk')
  mount(disk)
  host = await startNodeHost({ DATA_DIR: disk })
  // Noise: the preview is hardly smaller than the film.
  const noise = 'nullsrc=size=320x240:rate=30:duration=4,geq=lum=random(1)*255:cb=128:cr=128'
  film = await readFile(await media.make('noise.mp4', ['-f', 'lavfi', '-i', noise, ...X264, '-crf', '40']))
})
suiteOf.after(async () => {
  await host.stop()
  spawnSync('umount', [disk])
  await rmdir(disk)
})

test('an upload that does not fit is 503, and nothing of it is left', async () => {
  await refused(await prepare(host, padded(film, SIZE + 1_000_000)), 503, /space/)
  await allGone(host)
  assert.equal(await sessionsIn(disk), [])
})

test('the file of an upload that does not fit is 503, and nothing of it is left', async () => {
  const file = padded(film, SIZE + 1_000_000)
  const upload = await allowed(host, file.length)
  await refused(await put(host, upload, file), 503, /space/)
  await allGone(host)
  await refused(await prepareUpload(host, upload.upload_id), 409, /not arrived/)
})

test('a preview that does not fit is 503, and nothing of it is left', async () => {
  await fill(film.length + 150_000)
  await refused(await prepare(host, film), 503, /space/)
  await allGone(host)
  assert.equal(await sessionsIn(disk), [])
})

test('health tells of it, and of its end', async () => {
  await fill(0)
  // Strangers learn that the storage does not work; what is wrong with it stands in the log.
  await refused(await host.send('/health'), 503, /storage does not work/)
  await rm(join(disk, 'filler'))
  // What was found is remembered for five seconds.
  await until('health is well again', async () => (await host.send('/health')).status === 200, {
    everyMs: 250,
  })
})

test('a motion photo that does not fit is 503, and its session stays', async () => {
  const { session_id } = await prepared(host, film)
  await fill(100_000)
  const fields = { session_id, range_start: '0', range_end: '4', cover_time: '0', speed: '1' }
  await refused(await convert(host, fields), 503, /space/)
  await allGone(host)
  await rm(join(disk, 'filler'))
  assert.is((await convert(host, fields)).status, 200)
  assert.equal(await sessionsIn(disk), [session_id])
})

/** Fills the disk so that about so many bytes are free. */
async function fill(free: number): Promise<void> {
  await rm(join(disk, 'filler'), { force: true })
  const { bavail, bsize } = await statfs(disk)
  await writeFile(join(disk, 'filler'), Buffer.alloc(Math.max(0, bavail * bsize - free)))
}

function mount(folder: string): boolean {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', folder]).status === 0
}

function canMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  const made = spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'])
  return made.status === 0
}

suiteOf.run()
