import { existsSync } from 'node:fs'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type RelayProcess, startRelayProcess } from '#support/network/relayProcess'
import { projectRoot, type Settings } from '#support/process/serverProcess'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { type RoomProcess, roomAt, startRoomProcess } from '#support/room/roomProcess'
import { startWorld, type TestWorld } from '#support/room/testWorld'
import { assert, suite } from '#support/runner/suite'
import { eventually } from '#support/values/until'
import { listen } from '../../contract/room/listener'
import { fileSays, findWine, openWine, type Wine, type WineProcess } from './wine'

const PROGRAM = join(projectRoot, 'dist/executables/win-x64/room.exe')
const BOTH = join(projectRoot, 'dist/executables/win-x64/lantern-room.exe')
const WHY_NOT = 'Wine is not installed, or `npm run dist -- room win-x64` has not been run'
const BULK_BYTES = 16 * 1024 * 1024

const suiteOf = suite('the executable for Windows, under Wine', { timeoutMs: 240_000 })
const hasWine = findWine() !== undefined && existsSync(PROGRAM)
const test = suiteOf.skipUnless(hasWine, WHY_NOT)

let wine: Wine
let folder: string
let world: TestWorld
let relay: RelayProcess | undefined
const rooms: RoomProcess[] = []

suiteOf.before(async () => {
  if (hasWine) wine = await openWine()
})
suiteOf.after(async () => {
  if (hasWine) await wine.close()
})
suiteOf.before.each(async () => {
  folder = await makeTempFolder('room 房间')
  world = await startWorld()
})
suiteOf.after.each(async () => {
  await Promise.all(rooms.splice(0).map((room) => room.kill()))
  await relay?.close()
  relay = undefined
  await world.close()
  await removeFolders(folder)
})

type Windows = { readonly room: RoomProcess; readonly program: WineProcess; readonly portFile: string }

/** Starts `room.exe serve` with its data and its port file in a folder whose name has a blank and Chinese letters. */
async function startWindows(settings: Settings = {}): Promise<Windows> {
  const portFile = join(folder, '端口 port.json')
  await rm(portFile, { force: true })
  const args = ['serve', '--port-file', wine.path(portFile)]
  const program = wine.start(PROGRAM, args, { ...alone(23_548), ...settings })
  const [, url = ''] = await fileSays(portFile, /"url":"([^"]+)"/, program.output)
  const room = roomAt(url, { ...program, stdout: () => '', stderr: () => '', said: () => Promise.reject() })
  rooms.push(room)
  return { room, program, portFile }
}

async function startLinux(settings: Settings = {}): Promise<RoomProcess> {
  const room = await startRoomProcess({ settings })
  rooms.push(room)
  return room
}

function alone(scaffoldingPort: number): Settings {
  return {
    DATA_DIR: wine.path(join(folder, '数据 data')),
    ROOM_PORT: '0',
    ROOM_LAN_INTERFACES: '127.0.0.1',
    ROOM_NODES: '',
    ROOM_STUN: '',
    ROOM_HEARTBEAT_MS: '1000',
    SCAFFOLDING_PORT: String(scaffoldingPort),
  }
}

async function play(host: RoomProcess, guest: RoomProcess): Promise<number> {
  await host.ask('/room/host/start', { playerName: 'Alex', gamePort: world.port })
  await host.until('Host_Running', 60_000)
  const { roomCode } = await host.status()
  await guest.join(String(roomCode), 'Steve')
  await guest.until('Guest_Running', 60_000)
  const { gamePort, players } = await guest.status()
  assert.equal(players.map(({ name }) => name).sort(), ['Alex', 'Steve'])
  assert.is(await world.echoThrough(gamePort, 'hello'), 'hello')
  return gamePort
}

test('it starts in a folder with blanks and Chinese letters, where a port is forbidden on another, and POST /shutdown ends it in 2 s', async () => {
  const announced = await startWorld({ announced: true, motd: 'A world for Windows' })
  try {
    const { room, program, portFile } = await startWindows({ ROOM_PORT: '81' })
    const port = Number(new URL(room.url).port)
    assert.ok(port > 181, room.url)
    const meta = (await room.ask('/meta')).body
    assert.is(meta.targetOS, 'windows')
    assert.ok((await readdir(join(folder, '数据 data/room'))).includes('machine-id'))

    // It finds a world that is announced on the LAN.
    const found = async () => JSON.stringify((await room.ask('/game/servers')).body)
    await eventually(found, (servers) => servers.includes(`${announced.port}`), { ms: 15_000, everyMs: 200 })

    // A second instance would take another port, and with --hmcl it hands over that of the first.
    const file = join(folder, 'hmcl.json')
    const second = wine.start(PROGRAM, ['--hmcl', wine.path(file)], alone(23_548))
    assert.is(await second.ended, 0, await second.output())
    assert.equal(JSON.parse(await readFile(file, 'utf8')), { port })

    const startedAt = performance.now()
    assert.equal((await room.ask('/shutdown', {})).body, { message: 'Shutting down.' })
    assert.is(await program.ended, 0)
    assert.ok(performance.now() - startedAt < 2000, `${performance.now() - startedAt} ms`)
    assert.not.ok(existsSync(portFile))
    assert.match(await program.output(), /^\{"event":"listening"/m)
  } finally {
    await announced.close()
  }
})

for (const [hostName, way] of [
  ['Windows', 'LAN'],
  ['Linux', 'relay'],
] as const)
  test(`${hostName} hosts and the other joins, ${way === 'LAN' ? 'on the LAN' : 'through a relay'}`, async () => {
    if (way === 'relay') relay = await startRelayProcess()
    // Without interfaces nothing is found on the LAN.
    const settings: Settings = relay ? { ROOM_NODES: relay.url, ROOM_DIRECT: 'off' } : {}
    const [windows, linux] = await Promise.all([startWindows(settings), startLinux(settings)])
    const [host, guest] = hostName === 'Windows' ? [windows.room, linux] : [linux, windows.room]
    const listener = await listen(guest.url)
    const gamePort = await play(host, guest)
    const states = listener.messages.flatMap((message) => (message.type === 'state' ? [message] : []))
    assert.ok(states.length > 0)
    await listener.close()
    if (way === 'LAN') {
      const bulk = 'x'.repeat(BULK_BYTES)
      assert.ok((await world.echoThrough(gamePort, bulk)) === bulk)
    }
  })

test('a port file that another program holds open is written all the same, or the start goes on without', async () => {
  const held = join(folder, '端口 port.json')
  await writeFile(held, 'old')
  // Wine's `cmd` lets others read what it has redirected, and no more.
  const holder = wine.start('cmd', ['/c', `ping -n 60 127.0.0.1 < "${wine.path(held)}"`])
  await sleep(3000)
  const program = wine.start(PROGRAM, ['serve', '--port-file', wine.path(held)], alone(23_548))
  const said = async () => `${await program.output()}${await readFile(held, 'utf8')}`
  try {
    for (const deadline = Date.now() + 60_000; !(await said()).includes('"listening"'); await sleep(100))
      assert.ok(Date.now() < deadline, await said())
  } finally {
    program.signal('SIGKILL')
    holder.signal('SIGKILL')
  }
})

test('a double-click, which gives no argument, shows the page and stays, in the language of Windows', async () => {
  const language = 'zh_CN.UTF-8'
  // In a locale that this machine may not have Wine finds no Chinese folder.
  const data = await makeTempFolder('room')
  const settings = { ...alone(23_548), DATA_DIR: wine.path(data), LANG: language, LC_ALL: language }
  const program = wine.start(PROGRAM, [], settings)
  const said = async (pattern: RegExp) => {
    for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(100)) {
      const match = pattern.exec(await program.output())
      if (match) return match
    }
    throw new Error(`It never said ${pattern}.\n${await program.output()}`)
  }
  const [, url = '', token = ''] = await said(/(http:\S+\/)#token=(\S+)/)
  await said(/^游戏期间请不要关闭此窗口/m)
  assert.match(await (await fetch(url)).text(), '<html')
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  await fetch(`${url}shutdown`, { method: 'POST', headers, body: '{}' })
  assert.is(await program.ended, 0, await program.output())
  await removeFolders(data)
})

suiteOf.skipUnless(
  findWine() !== undefined && existsSync(BOTH),
  '`npm run dist -- win-x64` has not been run',
)('the motion photo API says in one sentence that it needs an ffmpeg', async () => {
  const settings = { DATA_DIR: wine.path(folder), MEDIA_PORT: '0', FFMPEG_PATH: 'C:\\no where\\ffmpeg.exe' }
  const program = wine.start(BOTH, ['media'], settings)
  assert.is(await program.ended, 1)
  assert.match(await program.output(), /^FFMPEG_PATH names a file that does not exist\. .*\.$/m)
})

suiteOf.run()
