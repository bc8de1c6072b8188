import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openLine, startEchoWorld } from '#support/namespaces/line'
import { type RelayProcess, startRelayProcess } from '#support/network/relayProcess'
import { closingOfEachTest } from '#support/process/closing'
import { freePort, type Settings } from '#support/process/serverProcess'
import { folderOfEachTest } from '#support/process/tempFolder'
import { type RoomProcess, startRoomProcess } from '#support/room/roomProcess'
import { assert, suite } from '#support/runner/suite'
import { eventually } from '#support/values/until'

const test = suite('Rooms that come back after a restart of the service', { timeoutMs: 480_000 })

const LIMIT_MS = 60_000

const { keep } = closingOfEachTest(test)
const folders = { host: folderOfEachTest(test, 'room-host'), guest: folderOfEachTest(test, 'room-guest') }
let relay: RelayProcess
let world: Awaited<ReturnType<typeof startEchoWorld>>

test.before.each(async () => {
  relay = keep(await startRelayProcess())
  world = keep(await startEchoWorld())
})

async function start(side: 'host' | 'guest', more: Settings = {}): Promise<RoomProcess> {
  const settings = { ROOM_NODES: relay.url, ROOM_DIRECT: 'off', ...more }
  return keep(await startRoomProcess({ settings, dataDir: folders[side]() }))
}

async function startBoth() {
  const [host, guest] = await Promise.all([start('host'), start('guest')])
  await host.ask('/room/host/start', {
    playerName: 'Alex',
    launcherCustomString: 'Launcher 7',
    gamePort: world.port,
    resume: true,
  })
  await host.until('Host_Running', LIMIT_MS)
  const code = (await host.status()).roomCode ?? ''
  await guest.ask('/room/guest/start', { roomCode: code, playerName: 'Steve', resume: true })
  await guest.until('Guest_Running', LIMIT_MS)
  return { host, guest, code }
}

async function untilShared(room: RoomProcess, names: readonly string[]): Promise<void> {
  const shared = async () =>
    (await room.ask('/room/status')).body.ports as readonly { readonly name: string }[]
  await eventually(shared, (ports) => ports.map(({ name }) => name).join() === names.join(), { ms: LIMIT_MS })
}

test('a guest and a host that were killed are in the room again, with its code and their names, until they stop', async () => {
  const { host, guest, code } = await startBoth()
  await guest.kill()
  const guestAgain = await start('guest')
  await guestAgain.until('Guest_Running', LIMIT_MS)
  const { roomCode, gamePort } = await guestAgain.status()
  assert.is(roomCode, code)
  const line = await openLine(gamePort)
  await line.goesOn(LIMIT_MS)
  await line.close()
  const names = (await host.status()).players.map(({ name }) => name)
  assert.equal(names, ['Alex', 'Steve'])

  await host.kill()
  const hostAgain = await start('host')
  await hostAgain.until('Host_Running', LIMIT_MS)
  const status = await hostAgain.status()
  assert.equal([status.roomCode, status.gamePort], [code, world.port])
  assert.is((await hostAgain.ask('/config')).body.launcherCustomString, 'Launcher 7')
  await guestAgain.until('Guest_Running', LIMIT_MS)

  // A stop is for good, and nothing comes back that was not asked for.
  await guestAgain.ask('/room/stop', {})
  await hostAgain.ask('/room/stop', {})
  await hostAgain.host('Alex', { gamePort: String(world.port) })
  await hostAgain.until('Host_Running', LIMIT_MS)
  for (const room of [hostAgain, guestAgain]) await room.kill()
  for (const side of ['host', 'guest'] as const) {
    assert.is((await (await start(side)).status()).state, 'Idle')
    assert.equal(
      (await readdir(join(folders[side](), 'room'))).filter((name) => name.startsWith('kept-')),
      [],
    )
  }
})

test('a player who was removed before a crash stays removed after it, until the host lets it in', async () => {
  const { host, guest, code } = await startBoth()
  const removed = async (room: RoomProcess) => {
    await room.until('Error', LIMIT_MS)
    assert.is((await room.status()).errorCode, 'removed')
  }
  const { players } = await host.status()
  const id = players.find(({ name }) => name === 'Steve')?.machineId
  assert.is((await host.ask(`/room/guests/${id}/kick`, {})).status, 200)
  await removed(guest)
  await host.kill()
  const again = await start('host')
  await again.until('Host_Running', LIMIT_MS)
  const { guests } = (await again.ask('/room/status')).body as { guests: readonly { state: string }[] }
  assert.equal(
    guests.map(({ state }) => state),
    ['removed'],
  )
  const order = { roomCode: code, playerName: 'Steve' }
  await guest.ask('/room/guest/start', order)
  await removed(guest)
  assert.is((await again.ask(`/room/guests/${id}/approve`, {})).status, 200)
  await guest.ask('/room/guest/start', order)
  await guest.until('Guest_Running', LIMIT_MS)
  // The answer is kept, too.
  await again.kill()
  const third = await start('host')
  await third.until('Host_Running', LIMIT_MS)
  assert.equal((await third.ask('/room/status')).body.guests, [])
})

test('a room one of whose ports is the service’s own after the restart comes back without it, and says so', async () => {
  const { host, guest, code } = await startBoth()
  // Its forwards would have the same numbers.
  await guest.ask('/room/stop', {})
  const port = await freePort()
  const ports = [
    { name: 'map', tcp: port },
    { name: 'voice', udp: port },
  ]
  assert.is((await host.ask('/room/host/ports', { ports })).status, 200)
  await host.kill()
  const again = await start('host', { ROOM_PORT: String(port) })
  assert.is(new URL(again.url).port, String(port))
  await again.until('Host_Running', LIMIT_MS)
  await untilShared(again, ['voice'])
  const { hintCode } = (await again.ask('/room/status')).body
  assert.is(hintCode, 'own-port')
  await guest.ask('/room/guest/start', { roomCode: code, playerName: 'Steve' })
  await guest.until('Guest_Running', LIMIT_MS)
  await untilShared(guest, ['voice'])

  // The same with the port of the world, which is waited for elsewhere.
  await again.kill()
  await world.close()
  const third = await start('host', { ROOM_PORT: String(world.port) })
  assert.is(new URL(third.url).port, String(world.port))
  await third.until('Host_GameDetecting', LIMIT_MS)
  await third.until('Error', 2 * LIMIT_MS)
  assert.is((await third.status()).errorCode, 'game-gone')
})

test.run()
