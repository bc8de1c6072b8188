import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { placeOf } from '#internal/adapters/system/folderPlace'
import { claimedRun, claimPlayer, releasePlayer } from '#internal/adapters/system/playerClaim'
import { folderOfEachTest } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'

const test = suite('the player of a data folder')

const ID = '0123456789abcdef0123456789abcdef'
const folder = folderOfEachTest(test, 'player')
const file = () => join(folder(), 'room', 'player.pid')
test.before.each(() => mkdir(join(folder(), 'room')))

test('the first program has the folder’s id, at every start', async () => {
  assert.is(await claimPlayer(folder(), ID), ID)
  assert.is(await readFile(file(), 'utf8'), String(process.pid))
  assert.is(await claimPlayer(folder(), ID), ID)
})

test('a second program beside it has an id of its own, until the first has ended', async () => {
  const first = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  try {
    await writeFile(file(), String(first.pid))
    const ids = [await claimPlayer(folder(), ID), await claimPlayer(folder(), ID)]
    for (const id of ids) assert.match(id, /^[0-9a-f]{32}$/)
    assert.is(new Set([ID, ...ids]).size, 3)
  } finally {
    first.kill('SIGKILL')
    await once(first, 'exit')
  }
  assert.is(await claimPlayer(folder(), ID), ID)
})

test('the claim of a program that runs counts for nothing in a copy of its folder, and tells its run where it is', async () => {
  const [here, copy] = [await placeOf(folder()), { run: '2'.repeat(32), place: 'elsewhere' }]
  await writeFile(file(), `${process.ppid} ${'1'.repeat(32)} ${here}`)
  assert.equal(
    [await claimedRun(folder(), here), await claimedRun(folder(), copy.place)],
    ['1'.repeat(32), undefined],
  )
  assert.is.not(await claimPlayer(folder(), ID, { ...copy, place: here }), ID)
  assert.is(await claimPlayer(folder(), ID, copy), ID)
})

test('a folder is told from its copy, and stays the same', async () => {
  const copy = join(folder(), 'copy')
  await cp(join(folder(), 'room'), join(copy, 'room'), { recursive: true })
  assert.is(await placeOf(folder()), await placeOf(folder()))
  assert.is.not(await placeOf(copy), await placeOf(folder()))
  await rename(join(folder(), 'room'), join(folder(), 'old'))
  await cp(join(folder(), 'old'), join(folder(), 'room'), { recursive: true })
  assert.is.not(await placeOf(folder()), await placeOf(copy))
})

test('a program gives up its own claim at its end, and no other one', async () => {
  await claimPlayer(folder(), ID)
  releasePlayer(folder())
  assert.equal(await readdir(join(folder(), 'room')), [])
  await writeFile(file(), String(process.ppid))
  releasePlayer(folder())
  assert.is(await readFile(file(), 'utf8'), String(process.ppid))
})

test('a damaged file is replaced', async () => {
  for (const text of ['', 'x', '-5', '0']) {
    await writeFile(file(), text)
    assert.is(await claimPlayer(folder(), ID), ID, text)
  }
})

test.run()
