import { cp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { closingOfEachTest } from '#support/process/closing'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { type RoomProcess, startRoomProcess } from '#support/room/roomProcess'
import { startWorld } from '#support/room/testWorld'
import { assert, suite } from '#support/runner/suite'
import { eventually } from '#support/values/until'

const test = suite('Room services with copies of one data folder', { timeoutMs: 240_000 })

const { keep, add } = closingOfEachTest(test)

/** A guest without a player is cut after 15 s. */
const LONG_MS = 25_000

type Folders = { readonly folder: string; copy(): Promise<string> }

/** A folder in which a service has run, and others that are made of it while none does. */
async function usedFolder(): Promise<Folders> {
  const root = await makeTempFolder('copied')
  add(() => removeFolders(root))
  const folder = join(root, 'original')
  const room = await startRoomProcess({ dataDir: folder })
  await room.close()
  let copies = 0
  return {
    folder,
    async copy() {
      copies += 1
      const to = join(root, `copy-${copies}`)
      await cp(folder, to, { recursive: true, filter: (path) => !path.endsWith('.tmp') })
      return to
    },
  }
}

async function open(dataDir?: string): Promise<RoomProcess> {
  return keep(await startRoomProcess(dataDir === undefined ? {} : { dataDir }))
}

async function hostWorld(host: RoomProcess, order: object) {
  const world = keep(await startWorld())
  const { status, body } = await host.ask('/room/host/start', {
    gamePort: world.port,
    playerName: 'Alex',
    ...order,
  })
  assert.is(status, 200, JSON.stringify(body))
  await host.until('Host_Running')
  return { world, room: (await host.status()).roomCode ?? '' }
}

async function enter(guest: RoomProcess, room: string, name: string): Promise<void> {
  const { status, body } = await guest.ask('/room/guest/start', { roomCode: room, playerName: name })
  assert.is(status, 200, JSON.stringify(body))
}

const playersOf = async (room: RoomProcess) => (await room.status()).players
const namesIn = async (room: RoomProcess) => (await playersOf(room)).map(({ name }) => name)
const idOf = async (room: RoomProcess, name: string) =>
  (await playersOf(room)).find((player) => player.name === name)?.machineId
const hintCodeOf = async (room: RoomProcess) => (await room.ask('/room/status')).body.hintCode

const untilNames = (host: RoomProcess, names: readonly string[]) =>
  eventually(
    () => namesIn(host),
    (found) => found.join() === names.join(),
    { ms: 30_000 },
  )

const KINDS = [{}, { private: true }] as const

for (const order of KINDS)
  test(`two guests are players for longer than 15 s, and one is removed alone: ${JSON.stringify(order)}`, async () => {
    const { folder, copy } = await usedFolder()
    const host = await open()
    const guests = [await open(folder), await open(await copy())] as const
    const { world, room } = await hostWorld(host, order)
    for (const [at, guest] of guests.entries()) {
      await enter(guest, room, ['Steve', 'Kim'][at] ?? '')
      await guest.until('Guest_Running')
    }
    await untilNames(host, ['Alex', 'Steve', 'Kim'])
    const startedAt = performance.now()
    while (performance.now() - startedAt < LONG_MS) {
      for (const guest of guests)
        assert.is(await world.echoThrough((await guest.status()).gamePort, 'hello'), 'hello')
      assert.equal(await namesIn(host), ['Alex', 'Steve', 'Kim'])
      await delay(250)
    }
    assert.is(await hintCodeOf(host), 'copied-folders')
    for (const guest of guests) assert.is(await hintCodeOf(guest), 'copied-folder')
    await host.ask(`/room/guests/${await idOf(host, 'Steve')}/kick`, {})
    await guests[0].until('Error')
    await untilNames(host, ['Alex', 'Kim'])
    assert.is(await world.echoThrough((await guests[1].status()).gamePort, 'still'), 'still')
  })

test('the host’s folder, copied while it hosts: a guest plays, and does not open the room a second time', async () => {
  const { folder, copy } = await usedFolder()
  const host = await open(folder)
  const { world, room } = await hostWorld(host, { resume: true })
  const guest = await open(await copy())
  assert.is((await guest.status()).state, 'Idle')
  await enter(guest, room, 'Kim')
  await guest.until('Guest_Running')
  await untilNames(host, ['Alex', 'Kim'])
  assert.is(await world.echoThrough((await guest.status()).gamePort, 'hello'), 'hello')
  // A second program of the host's own folder, on its machine.
  const second = await open(folder)
  await enter(second, room, 'Alex')
  await second.until('Error')
  assert.is((await second.status()).errorCode, 'own-room')
  await untilNames(host, ['Alex', 'Kim'])
})

test('a guest that was killed keeps its id when it comes back, with a copy beside it, too', async () => {
  const { folder, copy } = await usedFolder()
  const host = await open()
  const { room } = await hostWorld(host, {})
  const steve = await startRoomProcess({ dataDir: folder })
  await enter(steve, room, 'Steve')
  await steve.until('Guest_Running')
  await untilNames(host, ['Alex', 'Steve'])
  const id = await idOf(host, 'Steve')
  await steve.kill()
  const again = await open(folder)
  await enter(again, room, 'Steve')
  await again.until('Guest_Running')
  const kim = await open(await copy())
  await enter(kim, room, 'Kim')
  await kim.until('Guest_Running')
  await untilNames(host, ['Alex', 'Steve', 'Kim'])
  assert.is(await idOf(host, 'Steve'), id)
})

test('new folders of one path on machines with one system id are two players', async () => {
  const { folder } = await usedFolder()
  const idIn = () => readFile(join(folder, 'room', 'machine-id'), 'utf8')
  const first = await idIn()
  await rm(join(folder, 'room'), { recursive: true })
  const room = await startRoomProcess({ dataDir: folder })
  await room.close()
  assert.is.not(await idIn(), first)
})

test.run()
