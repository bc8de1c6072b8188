import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openLine, startEchoWorld } from '#support/namespaces/line'
import { startRelayProcess } from '#support/network/relayProcess'
import { closingOfEachTest } from '#support/process/closing'
import type { Settings } from '#support/process/serverProcess'
import { folderOfEachTest } from '#support/process/tempFolder'
import { type RoomCommand, startRoomCommand } from '#support/room/roomCommand'
import { type RoomProcess, roomAt, startRoomProcess } from '#support/room/roomProcess'
import { assert, suite } from '#support/runner/suite'

// The port of all of these is 0, any free one: only a service that replaces another one has the same as before.

const test = suite('room serve --replace', { timeoutMs: 240_000 })
const TIMEOUT_MS = 60_000

const { keep, add } = closingOfEachTest(test)
const folder = folderOfEachTest(test, 'room-replace')

type Service = { readonly command: RoomCommand; readonly room: RoomProcess; readonly port: number }

/** Starts `room serve` with the data folder of this test. */
async function serve(args: readonly string[], settings: Settings = {}): Promise<Service> {
  const command = startRoomCommand(['serve', '--data-dir', folder(), ...args], settings)
  add(() => command.end('SIGKILL'))
  const [, url = ''] = await command.said(/"event":"listening","url":"([^"]+)"/, TIMEOUT_MS)
  return { command, room: roomAt(url, command), port: Number(new URL(url).port) }
}

test('while a room is open, the new version takes over port and player, and the guests come back', async () => {
  const relay = keep(await startRelayProcess())
  const world = keep(await startEchoWorld())
  const settings = { ROOM_NODES: relay.url, ROOM_DIRECT: 'off' }
  const old = await serve([], settings)
  const guest = keep(await startRoomProcess({ settings }))
  const code = await old.room.host('Alex', { gamePort: String(world.port) })
  await old.room.until('Host_Running', TIMEOUT_MS)
  await guest.join(code, 'Steve')
  await guest.until('Guest_Running', TIMEOUT_MS)
  const { gamePort } = await guest.status()
  const { machineId } = (await old.room.ask('/config')).body

  const { room, port } = await serve(['--replace'], settings)
  assert.is(port, old.port)
  assert.is(await old.command.ended, 'SIGKILL')
  assert.is((await room.ask('/config')).body.machineId, machineId)
  await guest.until('Guest_Reconnecting', TIMEOUT_MS)
  assert.is(await room.host('Alex', { room: code, gamePort: String(world.port) }), code)
  await guest.until('Guest_Running', TIMEOUT_MS)
  assert.is((await guest.status()).gamePort, gamePort)
  const line = await openLine(gamePort)
  await line.goesOn()
  await line.close()
})

test('without a room the old one ends in order: exit code 0, and its port file is gone', async () => {
  const portFile = join(folder(), 'port.json')
  const settings = { ROOM_API_TOKEN: 'a-long-token' }
  const old = await serve(['--port-file', portFile], settings)
  assert.ok(existsSync(portFile))
  const { port } = await serve(['--replace'], settings)
  assert.is(port, old.port)
  assert.is(await old.command.ended, 0)
  assert.not.ok(existsSync(portFile))
})

test('where none runs it starts as usual', async () => {
  const { room } = await serve(['--replace'])
  assert.is((await room.ask('/meta')).status, 200)
})

test('a service that is part of another program is left alone, and that is said', async () => {
  const other = keep(await startRoomProcess({ dataDir: folder() }))
  const command = startRoomCommand(['serve', '--data-dir', folder(), '--replace'])
  assert.is(await command.ended, 3)
  assert.match(command.stderr(), /^room: The room service on port \d+ cannot be replaced from here\. .+$/m)
  assert.is((await other.ask('/meta')).status, 200)
})

test.run()
