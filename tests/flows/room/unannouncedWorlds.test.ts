import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hasNamespaces, openLan, type Place, WHY_NO_NAMESPACES } from '#support/namespaces/namespaces'
import { closingOfEachTest } from '#support/process/closing'
import { startCommand } from '#support/process/serverProcess'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { startRoomProcess } from '#support/room/roomProcess'
import { assert, suite } from '#support/runner/suite'
import { eventually } from '#support/values/until'

// Worlds that are heard by nobody, on a machine of their own: nothing else may listen there.
const test = suite('worlds that are not announced', { timeoutMs: 120_000 })
const { keep, add } = closingOfEachTest(test)
const withNamespaces = test.skipUnless(hasNamespaces, WHY_NO_NAMESPACES)

/** A game server that answers the ping, and sends back what begins with `echo `; with `mute` it only accepts connections. */
const SERVER = `
const [port, address, motd, name] = process.argv.slice(1)
// Node 24 and newer give their main thread a name of their own.
require('fs').writeFileSync('/proc/self/comm', name)
const varint = (n) => n < 128 ? Buffer.of(n) : Buffer.from([(n & 127) | 128, n >>> 7])
const json = Buffer.from(JSON.stringify({ version: { name: '1.21.4' }, players: { max: 8, online: 0 }, description: motd }))
const body = Buffer.concat([Buffer.of(0), varint(json.length), json])
require('net').createServer((socket) => {
  socket.on('error', () => {})
  socket.once('data', (data) => {
    if (motd === 'mute') return
    if (data.subarray(0, 5).toString() === 'echo ') return socket.end(data)
    socket.write(Buffer.concat([varint(body.length), body]))
  })
}).listen(Number(port), address, () => console.log('listening'))`

const CLIENT = `
const socket = require('net').connect(Number(process.argv[1]), '127.0.0.1', () => socket.write('echo hello'))
socket.on('data', (data) => console.log('came back: ' + data))`

async function startWorld(place: Place, at: { address: string; port: number; motd: string; as?: string }) {
  const folder = await makeTempFolder('game')
  const name = at.as ?? 'java'
  const program = join(folder, name)
  await symlink(process.execPath, program)
  const args = ['-e', SERVER, String(at.port), at.address, at.motd, name]
  const world = startCommand([...place.inside, program, ...args])
  await world.said(/listening/)
  add(async () => {
    await world.end('SIGKILL')
    await removeFolders(folder)
  })
}

async function openHost(place: Place, HOME = '/nonexistent') {
  const room = keep(await startRoomProcess({ inside: place.inside, settings: { HOME, XDG_DATA_HOME: HOME } }))
  await room.host('Alex')
  return room
}

type Room = Awaited<ReturnType<typeof openHost>>

const untilHinted = (room: Room, code: string) =>
  eventually(
    async () => (await room.ask('/room/status')).body as { hintCode: string; hint: string; state: string },
    ({ hintCode }) => hintCode === code,
  )

async function worldsOf(room: Room) {
  const { servers } = (await room.ask('/game/servers')).body as {
    servers: { endPoint: string; motd: string; announced: boolean }[]
  }
  return servers.map(({ endPoint, motd, announced }) => [endPoint, motd, announced])
}

withNamespaces(
  'Java on one address of the machine is offered, and reached there when it is chosen',
  async () => {
    const lan = await openLan('host', 'guest')
    add(lan.remove)
    await startWorld(lan.host, { address: lan.host.address, port: 40_123, motd: 'Castle' })
    const host = await openHost(lan.host)
    const { hint, state } = await untilHinted(host, 'world-found')
    assert.is(state, 'Host_GameDetecting')
    assert.match(hint, /^The world “Castle” answers on port 40123 of this computer/)
    assert.equal(await worldsOf(host), [[`${lan.host.address}:40123`, 'Castle', false]])

    await host.ask('/room/host/game', { gamePort: 40_123 })
    await host.until('Host_Running')
    const { roomCode } = await host.status()
    const guest = keep(await startRoomProcess({ inside: lan.host.inside }))
    await guest.join(roomCode ?? '', 'Steve')
    await guest.until('Guest_Running')
    const { gamePort } = await guest.status()
    const client = startCommand([...lan.host.inside, process.execPath, '-e', CLIENT, String(gamePort)])
    await client.said(/came back: echo hello/)
    await client.end('SIGKILL')
  },
)

withNamespaces(
  'a server of another program on 25565 is offered on ::1, beside a port that says nothing',
  async () => {
    const lan = await openLan('host')
    add(lan.remove)
    await startWorld(lan.host, { address: '127.0.0.1', port: 40_124, motd: 'mute' })
    await startWorld(lan.host, { address: '::1', port: 25_565, motd: 'Six', as: 'server' })
    const host = await openHost(lan.host)
    const { hint } = await untilHinted(host, 'world-found')
    assert.match(hint, /“Six” answers on port 25565/)
    assert.equal(await worldsOf(host), [['[::1]:25565', 'Six', false]])
  },
)

withNamespaces('the game’s log names the port; several worlds are named by their ports alone', async () => {
  const lan = await openLan('host')
  add(lan.remove)
  const home = await makeTempFolder('home')
  add(() => removeFolders(home))
  const logs = join(home, '.minecraft', 'versions', '1.21.4', 'logs')
  await mkdir(logs, { recursive: true })
  await writeFile(join(logs, 'latest.log'), '[12:00:00] [Render thread/INFO]: Started serving on 40125\n')
  await startWorld(lan.host, { address: '127.0.0.1', port: 40_125, motd: 'Logged', as: 'game' })
  await startWorld(lan.host, { address: '127.0.0.1', port: 40_126, motd: 'Unlogged', as: 'game' })
  const host = await openHost(lan.host, home)
  assert.match((await untilHinted(host, 'world-found')).hint, /“Logged” answers on port 40125/)
  await startWorld(lan.host, { address: '0.0.0.0', port: 40_127, motd: 'Third' })
  assert.match((await untilHinted(host, 'worlds-found')).hint, /on the ports 40127, 40125|40125, 40127/)
})

test.run()
