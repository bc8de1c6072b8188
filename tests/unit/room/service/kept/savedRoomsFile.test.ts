import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, lstat, mkdir, readdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseJson } from '@lantern-room/base/bytes'
import { generateRoomCode } from '@lantern-room/protocol'
import { createSavedRooms } from '#internal/room/service/kept/savedRooms'
import { createFakeClock } from '#support/network/fakeClock'
import { folderOfEachTest } from '#support/process/tempFolder'
import { workerPath } from '#support/process/workerPath'
import { assert, suite } from '#support/runner/suite'
import { rejection } from '#support/values/failures'
import { createPrng } from '#support/values/prng'
import { createTestLog } from '#support/values/testLog'
import { createTextFile } from '../../../../../local-runner/room/replaceFile'

const test = suite('the file of saved rooms', { timeoutMs: 60_000 })
const onUnix = test.skipUnless(process.platform !== 'win32', 'Windows has other files')
const asUser = test.skipUnless(process.getuid?.() !== 0, 'root may read everything')

const folder = folderOfEachTest(test, 'saved-rooms')
const path = () => join(folder(), 'saved-rooms.json')

function run() {
  const log = createTestLog()
  const parts = { store: createTextFile(path()), secret: new Uint8Array(32), clock: createFakeClock(), log }
  const rooms = createSavedRooms(parts)
  const note = async (name: string) => {
    const view = {
      stage: 'Host_Running',
      room: generateRoomCode().text,
      worldName: name,
      players: [],
    } as const
    rooms.note({ role: 'host', order: {} }, view)
    return rooms.list()
  }
  return { ...rooms, note, warnings: log.warnings }
}
const names = (list: Awaited<ReturnType<ReturnType<typeof run>['list']>>) => [
  list.rooms.map(({ name }) => name),
  list.damaged,
]

const DAMAGES: Readonly<Record<string, (text: string) => string | Uint8Array>> = {
  empty: () => '',
  'cut in the middle': (text) => text.slice(0, text.length / 2),
  'zeros, as after a loss of power': (text) => new Uint8Array(text.length),
  'no text': () => new Uint8Array([0xff, 0xfe, 0x80, 0xc0]),
  'nested without end': () => '['.repeat(200_000),
  'of a newer version': (text) => JSON.stringify({ version: 2, rooms: parseJson(text) }),
  'a newer kind of room': (text) => text.replace('"role":"host"', '"role":"watcher"'),
  'too large for ours': (text) => text + ' '.repeat(2_000_000),
}

for (const [name, damage] of Object.entries(DAMAGES))
  test(`${name}: it is told, and the next room is saved`, async () => {
    await run().note('Castle')
    await writeFile(path(), damage(await readFile(path(), 'utf8')))
    assert.equal(names(await run().list()), [[], 1])
    assert.is(await run().forget('0'.repeat(64)), false)
    assert.equal(names(await run().note('Harbour')), [['Harbour'], 0])
    assert.equal(names(await run().list()), [['Harbour'], 0])
  })

test('bytes that have changed here and there never do worse than lose rooms', async () => {
  await run().note('Castle')
  const whole = await readFile(path())
  const { next } = createPrng(7)
  for (let turn = 0; turn < 200; turn += 1) {
    const copy = Uint8Array.from(whole)
    for (let count = 0; count < 3; count += 1)
      copy[Math.floor(next() * copy.length)] = Math.floor(next() * 256)
    await writeFile(path(), copy)
    const { rooms, damaged } = await run().list()
    assert.ok(rooms.length + damaged >= 1, Buffer.from(copy).toString())
  }
})

onUnix('a link is read, and replaced by a file; what it led to stays as it was', async () => {
  await run().note('Castle')
  const other = join(folder(), 'other.json')
  const text = await readFile(path(), 'utf8')
  await writeFile(other, text)
  for (const [target, found] of [
    [other, [['Castle'], 0]],
    [join(folder(), 'nowhere'), [[], 0]],
    [path(), [[], 1]],
    [folder(), [[], 1]],
    ['/dev/zero', [[], 1]],
  ] as const) {
    execFileSync('rm', ['-f', path()])
    await symlink(target, path())
    assert.equal(names(await run().list()), found, target)
    await run().note('Harbour')
    assert.ok((await lstat(path())).isFile(), target)
  }
  assert.is(await readFile(other, 'utf8'), text)
})

onUnix('a folder or a pipe in its place is told, and nothing waits for it', async () => {
  await mkdir(path())
  const rooms = run()
  assert.equal(names(await rooms.list()), [[], 1])
  assert.equal(names(await rooms.note('Castle')), [[], 1])
  assert.equal(rooms.warnings, ['the list of rooms cannot be kept'])
  assert.equal(await readdir(folder()), ['saved-rooms.json'])
  execFileSync('rmdir', [path()])
  execFileSync('mkfifo', [path()])
  assert.equal(names(await run().list()), [[], 1])
  assert.equal(names(await run().note('Castle')), [['Castle'], 0])
})

asUser(
  'a file that may not be read is told, and a folder that may not be written when a room is forgotten',
  async () => {
    await run().note('Castle')
    const [room] = (await run().list()).rooms
    await chmod(path(), 0)
    assert.equal(names(await run().list()), [[], 1])
    await chmod(path(), 0o600)
    await chmod(folder(), 0o500)
    assert.match(
      String(await rejection(run().forget(room?.id ?? ''))),
      /cannot be written: make room on the disk/,
    )
    await chmod(folder(), 0o700)
    assert.equal(names(await run().list()), [['Castle'], 0])
  },
)

test('two programs see each other’s rooms, and undo does not undo what the other has done', async () => {
  const [one, other] = [run(), run()]
  await one.note('Castle')
  await other.note('Harbour')
  const { rooms } = await one.note('Lighthouse')
  assert.equal(
    rooms.map(({ name }) => name),
    ['Lighthouse', 'Harbour', 'Castle'],
  )
  const [first, second, third] = rooms.map(({ id }) => id)
  for (const id of [second, first, third]) assert.is(await one.forget(id ?? ''), true)
  await other.note('Bridge')
  for (const id of [third, second]) assert.is(await one.restore(id ?? ''), true)
  assert.is(await other.restore(first ?? ''), false)
  assert.equal(names(await other.list()), [['Bridge', 'Harbour', 'Castle'], 0])
  assert.equal((await one.list()).rooms.slice(1), rooms.slice(1))
  // Its place is that of the list before.
  await one.note('Mill')
  assert.is(await one.restore(first ?? ''), false)
})

test('programs that are killed while they write leave a whole list', async () => {
  const { next } = createPrng(11)
  for (let turn = 0; turn < 3; turn += 1) {
    const children = [1, 2].map(() =>
      spawn(process.execPath, [workerPath('unit/room/service/kept/savedRoomsWorker'), path()], {
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
    )
    await Promise.all(children.map(({ stdout }) => once(stdout, 'data')))
    await new Promise((resolve) => setTimeout(resolve, 40 * next()))
    await Promise.all(
      children.map((child) => {
        child.kill('SIGKILL')
        return once(child, 'exit')
      }),
    )
    const { rooms, damaged } = await run().list()
    assert.ok(rooms.length > 0)
    assert.is(damaged, 0)
  }
})

test('what a killed program has left is removed by the next that writes, but not what one is writing', async () => {
  const [left, fresh] = [`${path()}.1.tmp`, `${path()}.2.tmp`]
  for (const file of [left, fresh]) await writeFile(file, 'half')
  await utimes(left, new Date(0), new Date(0))
  await run().note('A')
  assert.equal((await readdir(folder())).sort(), ['saved-rooms.json', 'saved-rooms.json.2.tmp'])
})

test.run()
