import { chmod, mkdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { createWorkFolders } from '@lantern-room/adapters/files'
import { createDiskObjectStore } from '@lantern-room/adapters/objectStore/disk'
import { ownerName } from '#support/process/ownerName'
import { startPortProcess } from '#support/process/portProcess'
import { inTempFolder, makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { equalBytes } from '#support/values/equalBytes'
import { present, refusal } from './expected'
import { entriesBelow, openFilesBelow } from './leaks'

const test = suite('a disk that several processes share', { timeoutMs: 60_000 })
const contentType = 'application/octet-stream'
const bytes = new Uint8Array(1000).fill(5)
const onLinux = process.platform === 'linux'
const isRoot = process.getuid?.() === 0
let folder = ''

test.before.each(async () => {
  folder = await makeTempFolder('shared')
})
test.after.each(async () => {
  const open = openFilesBelow(folder)
  await removeFolders(folder)
  assert.equal(open, [])
})

test('the work folder of a killed process is gone after the next start, that of a running one stays', async () => {
  const { killedFile, running, runningFile } = await startedAndKilled('work')

  const folders = createWorkFolders({ folder })
  const own = await folders.open()
  await own.write('a', bytes)
  assert.is(await exists(killedFile), false)
  assert.is(await exists(runningFile), true)

  await running.kill()
  await (await createWorkFolders({ folder }).open()).dispose()
  assert.is(await exists(runningFile), false)
  assert.is(await own.size('a'), 1000)
  await own.dispose()
  assert.equal(await entriesBelow(folder), [])
})

test('threads of one process never sweep the folder of another thread', async () => {
  const { lines, exit } = await startPortProcess(['workThreads', folder]).ended()
  assert.equal([...lines].sort(), ['all done', 'done 1', 'done 2', 'done 3'])
  assert.is(exit, 0)
  assert.equal(await entriesBelow(folder), [])
})

test('only what is known to be abandoned is swept', async () => {
  const [pid, start, machine] = ownerName.split('-')
  const other = machine === '00000000' ? '11111111' : '00000000'
  const dead = `4194999-77-${machine}.dead`
  const usedAgain = `${pid}-1-${machine}.numberUsedAgain`
  const elsewhere = `1-${process.pid}-${other}.elsewhere`
  const kept = ['notes', '.random', `${ownerName}.ours`, `x${ownerName}.x`, `${pid}-${start}.noMachine`]
  for (const name of [...kept, dead, elsewhere, ...(onLinux ? [usedAgain] : [])]) {
    await mkdir(join(folder, name))
    await writeFile(join(folder, name, 'file'), 'x')
  }
  // The time of a file's content says nothing: a checked-out object may be older than its second name.
  await utimes(join(folder, elsewhere), 0, 0)
  const leftAfter = async (hours: number) => {
    const later = createWorkFolders({ folder, now: () => Date.now() + hours * 3_600_000 })
    await (await later.open()).dispose()
    return (await entriesBelow(folder)).filter((path) => !path.includes('/'))
  }
  assert.equal(await leftAfter(0), [...kept, elsewhere].sort())
  assert.equal(await leftAfter(23), [...kept, elsewhere].sort())
  assert.equal(await leftAfter(25), [...kept].sort())
})

test('what a killed process had half stored is swept, and nothing of a running one', async () => {
  const store = createDiskObjectStore({ folder })
  await store.putBytes('a', bytes, { contentType })
  const checkedOut = present(await store.checkOut('a'))
  const { killedFile, running, runningFile } = await startedAndKilled('half')

  assert.is((await entriesBelow(join(folder, '@tmp'))).length, 5)
  await createDiskObjectStore({ folder }).check()
  assert.is(await exists(killedFile), false)
  assert.is(await exists(`${killedFile}x`), false)
  assert.is(await exists(runningFile), true)
  assert.is(await exists(`${runningFile}x`), true)
  equalBytes(await readFile(checkedOut.path), bytes)
  equalBytes(present(await store.get('a')), bytes)

  await running.kill()
  await checkedOut.release()
  await createDiskObjectStore({ folder }).check()
  assert.equal(await entriesBelow(folder), ['@tmp', 'a'])
})

test('three processes create, replace, delete and sweep in the same folder, and all of it holds', async () => {
  const rounds = 60
  const racers = [1, 2, 3].map(() => startPortProcess(['race', folder, String(rounds)]))
  const results = await Promise.all(racers.map((racer) => racer.ended()))
  const wins = results.flatMap(({ lines, exit }) => {
    assert.is(exit, 0)
    assert.is(lines.length, 1, lines.join('\n'))
    return (lines[0] ?? '').split(' ').slice(1).map(Number)
  })
  const sorted = wins.sort((a, b) => a - b)
  assert.equal(sorted, [...Array(rounds).keys()])
  assert.equal(await entriesBelow(join(folder, '@tmp')), [])
})

test('nothing but the objects lies in the folder, and no empty folder stays', async () => {
  const store = createDiskObjectStore({ folder })
  for (const key of ['a/b/c', 'a/b/d', 'a/e']) await store.putBytes(key, bytes, { contentType })
  await store.delete(['a/b/c'])
  assert.equal(await entriesBelow(folder), ['@tmp', 'a', 'a/b', 'a/b/d', 'a/e'])
  await store.delete(['a/b/d'])
  assert.equal(await entriesBelow(folder), ['@tmp', 'a', 'a/e'])
  await store.delete(['a/e'])
  assert.equal(await entriesBelow(folder), ['@tmp'])
})

test('checking out costs no copy, where the file system can link', async () => {
  const store = createDiskObjectStore({ folder })
  await store.putBytes('a', bytes, { contentType })
  const file = present(await store.checkOut('a'))
  assert.is((await stat(file.path)).ino, (await stat(join(folder, 'a'))).ino)
  await file.release()
})

test('videos of strangers are readable only by the owner of the service', async () => {
  const store = createDiskObjectStore({ folder: join(folder, 'new') })
  await store.putBytes('a/b', bytes, { contentType })
  const work = await createWorkFolders({ folder: join(folder, 'work') }).open()
  const workPath = dirname(await work.write('a', bytes))
  for (const path of [join(folder, 'new'), join(folder, 'new/a'), join(folder, 'new/a/b'), workPath])
    assert.is((await stat(path)).mode & 0o077, 0, path)
  await work.dispose()
})

test('a key below an object is refused and changes nothing', async () => {
  const store = createDiskObjectStore({ folder })
  await store.putBytes('a', bytes, { contentType })
  await refusal(store.putBytes('a/b', bytes, { contentType }), 'unavailable')
  await refusal(store.createBytes('a/b', bytes, { contentType }), 'unavailable')
  equalBytes(present(await store.get('a')), bytes)
  assert.equal(await entriesBelow(folder), ['@tmp', 'a'])
})

test.skipUnless(process.platform !== 'win32', 'Windows has no such modes')(
  'a folder that may not be written is said clearly',
  async () => {
    const locked = join(folder, 'locked')
    await mkdir(locked, { mode: 0o555 })
    await chmod(folder, 0o755)
    // The superuser may write everywhere, so it becomes nobody for a moment.
    if (isRoot) process.seteuid?.(65_534)
    try {
      const error = await refusal(createDiskObjectStore({ folder: locked }).check(), 'unavailable')
      assert.is(error.detail, 'The service is not allowed to write to its data folder.')
      assert.match(String(error.cause), /EACCES.*locked/)
      await refusal(createWorkFolders({ folder: join(locked, 'work') }).open(), 'unavailable')
    } finally {
      if (isRoot) process.seteuid?.(0)
    }
  },
)

const OTHER_DISK = '/dev/shm'
const elsewhere = onLinux && (await stat(OTHER_DISK).catch(() => undefined))
const isOtherDisk = elsewhere && elsewhere.dev !== (await stat(tmpdir())).dev
const withTwoDisks = test.skipUnless(isOtherDisk, 'there is no second file system')
/** Leaves nothing on the other disk, however the test ends. */
const onOtherDisk = (work: (other: string) => Promise<void>) => () => inTempFolder('other', work, OTHER_DISK)

withTwoDisks(
  'a file is consumed from another disk',
  onOtherDisk(async (other) => {
    const source = join(other, 'video')
    await writeFile(source, bytes)
    const store = createDiskObjectStore({ folder })
    await store.putFile('a/b', source, { contentType, consume: true })
    equalBytes(present(await store.get('a/b')), bytes)
    assert.is(await exists(source), false)
    assert.equal(await entriesBelow(folder), ['@tmp', 'a', 'a/b'])
  }),
)

withTwoDisks(
  'where a file cannot be linked, a copy is checked out',
  onOtherDisk(async (other) => {
    await symlink(other, join(folder, 'other'))
    await writeFile(join(other, 'a'), bytes)
    const file = present(await createDiskObjectStore({ folder }).checkOut('other/a'))
    await removeFolders(other)
    equalBytes(await readFile(file.path), bytes)
    assert.is(join(folder, '@tmp', basename(file.path)), file.path)
    await file.release()
    assert.equal(await entriesBelow(join(folder, '@tmp')), [])
  }),
)

/** Starts two processes that tell of a file of theirs, and kills one. */
async function startedAndKilled(work: 'work' | 'half') {
  const [killed, running] = [startPortProcess([work, folder]), startPortProcess([work, folder])]
  const [killedFile, runningFile] = [(await killed.line()).slice(5), (await running.line()).slice(5)]
  await killed.kill()
  return { killedFile, running, runningFile }
}

async function exists(path: string): Promise<boolean> {
  if (path === '') throw new Error('The path is missing.')
  return (await stat(path).catch(() => undefined)) !== undefined
}

test.run()
