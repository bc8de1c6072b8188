import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, writeFile } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createWorkFolders } from '@lantern-room/adapters/files'
import type { WorkFolder, WorkFolders } from '@lantern-room/media/ports'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { equalBytes } from '#support/values/equalBytes'
import { refusal } from './expected'
import { entriesBelow, openFilesBelow } from './leaks'

const test = suite('work folders on the disk')
let place: string
let folders: WorkFolders
test.before.each(async () => {
  place = await makeTempFolder('work')
  folders = createWorkFolders({ folder: place })
})
test.after.each(async () => {
  const left = await leaks()
  await removeFolders(place)
  assert.equal(left, [])
})
const bytes = Uint8Array.from({ length: 1000 }, (_, n) => n % 253)
const inFolder = (name: string, work: (folder: WorkFolder) => Promise<void>) =>
  test(name, async () => {
    const folder = await folders.open()
    await work(folder)
    await folder.dispose()
  })

test('there is some space, also before the first folder is made', async () => {
  const free = await folders.freeBytes()
  assert.ok(Number.isSafeInteger(free) && free > 0, `${free} bytes`)
})

inFolder('what is written is read again, whole and by ranges', async (folder) => {
  const path = await folder.write('clip.mp4', bytes)
  assert.is(path, folder.path('clip.mp4'))
  assert.ok(isAbsolute(path))
  equalBytes(await folder.read('clip.mp4'), bytes)
  assert.is((await folder.read('clip.mp4')).constructor, Uint8Array)
  for (const [start, end] of [
    [0, 999],
    [0, 0],
    [999, 999],
    [123, 456],
  ] as const)
    equalBytes(await folder.read('clip.mp4', { start, end }), bytes.subarray(start, end + 1))
  assert.is(await folder.size('clip.mp4'), 1000)
})

inFolder('a range that lies outside is refused', async (folder) => {
  await folder.write('a', bytes)
  await folder.write('empty', new Uint8Array())
  for (const [start, end] of [
    [0, 1000],
    [1000, 1000],
    [-1, 5],
    [5, 4],
    [0, Number.NaN],
  ] as const)
    await refusal(folder.read('a', { start, end }), 'out-of-range')
  await refusal(folder.read('empty', { start: 0, end: 0 }), 'out-of-range')
  equalBytes(await folder.read('empty'), new Uint8Array())
})

inFolder('a program may write a file by its path', async (folder) => {
  assert.is(await folder.size('out.mp4'), undefined)
  await writeFile(folder.path('out.mp4'), bytes)
  assert.is(await folder.size('out.mp4'), 1000)
  equalBytes(await folder.read('out.mp4'), bytes)
})

inFolder('a second write replaces the file', async (folder) => {
  await folder.write('a', bytes)
  await folder.write('a', bytes.subarray(0, 3))
  equalBytes(await folder.read('a'), bytes.subarray(0, 3))
})

inFolder('reading a file that is not there is a mistake of ours', async (folder) => {
  await refusal(folder.read('none'), 'internal')
})

test('two folders have nothing in common', async () => {
  const [one, two] = await Promise.all([folders.open(), folders.open()])
  await one.write('a', bytes)
  assert.is(await two.size('a'), undefined)
  assert.is.not(one.path('a'), two.path('a'))
  await one.dispose()
  await two.write('a', bytes)
  await two.dispose()
})

test('nothing is left after dispose, which may be called again and in the middle of writing', async () => {
  const folder = await folders.open()
  const path = await folder.write('a', bytes)
  const writing = Promise.allSettled(
    Array.from({ length: 50 }, (_, n) => writeFile(folder.path(`part${n}`), bytes)),
  )
  await Promise.all([folder.dispose(), folder.dispose()])
  await writing
  await folder.dispose()
  assert.is(await access(path).catch(() => 'gone'), 'gone')
  assert.equal(await leaks(), [])
  await refusal(folder.write('late', bytes), 'unavailable')
  assert.is(await folder.size('a'), undefined)
})

test.skipUnless(process.platform !== 'win32', 'it is a shell that writes')(
  'a folder is gone after dispose although a program goes on writing into it',
  async () => {
    for (let round = 0; round < 20; round++) {
      const folder = await folders.open()
      const first = folder.path('f1')
      const loop = 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); : >"$0$i" || exit; done 2>/dev/null'
      const writer = spawn('/bin/sh', ['-c', loop, first.slice(0, -1)], { stdio: 'ignore' })
      const ended = once(writer, 'exit')
      while ((await folder.size('f1')) === undefined) await nextTurn()
      await folder.dispose()
      assert.equal(await leaks(), [])
      await ended
    }
  },
)

inFolder('a name that is no plain file name is refused', async (folder) => {
  for (const name of ['', '.', '..', '../a', 'a/b', '/etc/passwd', 'a\\b', 'a\0', 'a\n', 'x'.repeat(256)]) {
    await refusal(
      Promise.resolve().then(() => folder.path(name)),
      'internal',
    )
    await refusal(folder.write(name, bytes), 'internal')
    await refusal(folder.read(name), 'internal')
    await refusal(folder.size(name), 'internal')
  }
})

test('a hundred folders at once are all different and all go away', async () => {
  const many = await Promise.all(Array.from({ length: 100 }, () => folders.open()))
  assert.is(new Set(many.map((folder) => folder.path('a'))).size, 100)
  await Promise.all(many.map((folder) => folder.write('a', bytes)))
  await Promise.all(many.map((folder) => folder.dispose()))
})

/** Everything that is on the disk now, and everything that is open; nothing after each test. */
async function leaks(): Promise<string[]> {
  // What is looked through at the start may still be open after a short test.
  await (await folders.open()).dispose()
  return [...openFilesBelow(place), ...(await entriesBelow(place))]
}

test.run()
