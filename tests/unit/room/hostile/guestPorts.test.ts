import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { generateRoomCode } from '@lantern-room/protocol'
import { PORTS_COMMAND } from '@lantern-room/protocol/client'
import { createPlayerRegistry, createScaffoldingServer } from '@lantern-room/protocol/server'
import { echoAll } from '#support/network/byteStreams'
import { hasIpv6 } from '#support/network/interfaceInfo'
import { openPort } from '#support/process/openPort'
import type { OpenRoom } from '#support/room/openRoom'
import { testCredentials } from '#support/room/testCredentials'
import { testRoomNetwork } from '#support/room/testRoomNetwork'
import { virtualPlayersOf } from '#support/room/virtualPlayers'
import { assert, suite } from '#support/runner/suite'
import { silentLog } from '#support/values/testLog'
import { eventually, until } from '#support/values/until'
import { OPEN_SERVER } from '../../protocol/scaffolding/openPolicy'

// Real sockets of this machine, on which the guest listens; the host is on another machine, in memory.
const test = suite('a host that wants ports of the guest’s machine', { timeoutMs: 60_000 })

const { net, clock, add, open } = virtualPlayersOf(test)

type Given = { readonly name: string; readonly tcp?: number; readonly udp?: number }
type Shown = {
  readonly name: string
  readonly localTcp: number | null
  readonly localUdp: number | null
  readonly whyTcp?: string
  readonly whyUdp?: string
}

const ROOM_PORT = 13_448
const WORLD_PORT = 25_565
const encode = (value: unknown) =>
  new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))

type HostileHost = {
  readonly room: string
  /** What `lantern:ports` is answered with from now on: a text as it is, all else as JSON. */
  share(list: unknown): void
  /** How often guests have asked for it. */
  asked(): number
}

/** A host that answers as it likes, and sends back what comes to any of its ports. @param worldPort as it calls its world's */
async function openHostileHost(list: unknown, worldPort = WORLD_PORT): Promise<HostileHost> {
  const room = generateRoomCode()
  const leaving = new AbortController()
  let shared = encode(list)
  let asked = 0
  const registry = createPlayerRegistry({
    host: { name: 'Mallory', machineId: 'f'.repeat(32), vendor: '' },
    isConnected: () => true,
    onChange: () => undefined,
    clock,
    signal: leaving.signal,
  })
  const listPorts = () => {
    asked += 1
    return { status: 0, data: shared }
  }
  const server = createScaffoldingServer({
    ...OPEN_SERVER,
    offeredCommands: { [PORTS_COMMAND]: listPorts },
    registry,
    gamePort: () => worldPort,
    onGamePort: () => () => {},
    clock,
    log: silentLog(),
    signal: leaving.signal,
  })
  const { transports } = net.machine('192.168.1.66')
  const connection = await testRoomNetwork({ transports, clock }).host({
    room,
    roomPort: ROOM_PORT,
    exposed: { tcp: [ROOM_PORT, worldPort, 3306, 8123], udp: [] },
    credentials: testCredentials(),
    onStream: (stream, { port, memberId }) =>
      void (port === ROOM_PORT ? server.serve(stream, memberId) : echoAll(stream)),
    onFlow: (flow) => flow.close(),
    signal: leaving.signal,
  })
  add(async () => {
    leaving.abort(new Error('the test is over'))
    await connection.closed
  })
  return {
    room: room.text,
    share(next) {
      shared = encode(next)
    },
    asked: () => asked,
  }
}

/** A guest of this host that plays. */
async function join({ room }: HostileHost, order: object = {}): Promise<OpenRoom> {
  const guest = open('192.168.1.3', {}, { ROOM_HEARTBEAT_MS: '200' })
  await guest.ask('/room/guest/start', { roomCode: room, ...order })
  await guest.until('guest-ok')
  return guest
}

type Status = {
  readonly state: string
  readonly gamePort: number
  readonly errorCode: string | null
  readonly ports: readonly Shown[]
}

const statusOf = async (room: OpenRoom) => (await (await room.ask('/room/status')).json()) as Status
const namesOf = (ports: readonly { readonly name: string }[]) => ports.map(({ name }) => name).join()

/** What the guest shows once it has these ports. */
async function shown(guest: OpenRoom, wanted: readonly Given[]): Promise<readonly Shown[]> {
  const { ports } = await eventually(
    () => statusOf(guest),
    ({ ports }) => namesOf(ports) === namesOf(wanted),
  )
  return ports
}

/** Those of the numbers on which the guest listens for its host. */
function opened({ ownPorts }: OpenRoom, ...numbers: readonly number[]): readonly number[] {
  const transports = ['tcp', 'udp'] as const
  return numbers.filter((port) => transports.some((one) => ownPorts.useOf(one, port) === 'forward'))
}

const byTcp = (ports: readonly number[]): readonly Given[] =>
  ports.map((tcp) => ({ name: `tcp ${tcp}`, tcp }))
const byUdp = (ports: readonly number[]): readonly Given[] =>
  ports.map((udp) => ({ name: `udp ${udp}`, udp }))

/** Sends a line to a port of this machine. @returns what comes back; undefined where nothing listens */
async function echoed(port: number, line: string): Promise<string | undefined> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    socket.write(line)
    return `${(await once(socket, 'data'))[0]}`
  } catch {
    return undefined
  } finally {
    socket.destroy()
  }
}

test('of well-known numbers none is opened; each leads from a free one, which is shown with the reason', async () => {
  const reserved = [22, 53, 80, 443, 4445, 5062, 5353]
  const unasked = [3306, 5432, 8000, 11_434, 8123]
  const wanted = [...byTcp([...reserved, ...unasked]), ...byUdp([53, 4445, 5353, 3478])]
  const host = await openHostileHost(wanted)
  const guest = await join(host)
  const ports = await shown(guest, wanted)
  assert.equal(opened(guest, ...reserved, ...unasked, 3478), [])
  assert.equal(
    ports.map(({ whyTcp, whyUdp }) => whyTcp ?? whyUdp),
    [
      ...reserved.map(() => 'reserved'),
      ...unasked.map(() => 'unasked'),
      'reserved',
      'reserved',
      'reserved',
      'unasked',
    ],
  )
  const locals = ports.map(({ localTcp, localUdp }) => localTcp ?? localUdp ?? 0)
  assert.ok(
    locals.every((port) => port >= 49_152),
    locals.join(),
  )
  for (const transport of ['tcp', 'udp']) {
    const own = locals.filter((_, at) => ports[at]?.name.startsWith(transport))
    assert.is(new Set(own).size, own.length)
  }
  const database = ports.find(({ name }) => name === 'tcp 3306')
  assert.is(await echoed(database?.localTcp ?? 0, 'SELECT 1'), 'SELECT 1')
})

test('numbers of games and voice chat, and most dynamic ones, stay what they are', async () => {
  const wanted = [...byTcp([25_569, 60_123]), ...byUdp([19_133, 24_459, 60_124])]
  const guest = await join(await openHostileHost(wanted))
  const ports = await shown(guest, wanted)
  assert.equal(
    ports.map(({ localTcp, localUdp }) => localTcp ?? localUdp),
    [25_569, 60_123, 19_133, 24_459, 60_124],
  )
  assert.ok(ports.every(({ whyTcp, whyUdp }) => whyTcp === undefined && whyUdp === undefined))
})

test('the player says yes in the order or later, and takes it back; no yes opens what is reserved', async () => {
  const wanted = byTcp([3306, 8123])
  const host = await openHostileHost(wanted)
  const guest = await join(host, { keepPorts: [3306] })
  const [database, map] = await shown(guest, wanted)
  assert.equal([database?.localTcp, database?.whyTcp, map?.whyTcp], [3306, undefined, 'unasked'])
  const socket = connect(map?.localTcp ?? 0, '127.0.0.1')
  add(async () => void socket.destroy())
  await once(socket, 'connect')
  const closed = once(socket, 'close')

  const answer = await guest.ask('/room/guest/ports', { keepPorts: [8123] })
  assert.is(answer.status, 200)
  const later = await eventually(
    () => statusOf(guest),
    ({ ports }) => ports[1]?.localTcp === 8123,
  )
  assert.is(later.ports[0]?.whyTcp, 'unasked')
  assert.equal(opened(guest, 3306, 8123), [8123])
  assert.is(await echoed(8123, 'GET /'), 'GET /')
  // Nothing is left at the number before.
  await closed

  for (const port of [-1, 0, 22, 1023, 4445, 5062, 5353, 24_445, 65_536, 1.5, '8123', null]) {
    const refused = await guest.ask('/room/guest/ports', { keepPorts: [8123, port] })
    assert.is(refused.status, 400)
    assert.match(
      ((await refused.json()) as { error: string }).error,
      /^keepPorts\.1 must be a port from 1024 to 65535, but none of 4445/,
    )
  }
  assert.is((await guest.ask('/room/guest/ports', {})).status, 400)
  assert.equal(opened(guest, 8123), [8123])
  await guest.ask('/room/stop', {})
  assert.is((await guest.ask('/room/guest/ports', { keepPorts: [] })).status, 409)
})

test('a host that moves its ports at every heartbeat holds those of its last list alone', async () => {
  const host = await openHostileHost([])
  const guest = await join(host)
  // Above the numbers that Linux draws for outgoing connections: any test beside this one may hold one of those for a moment.
  const numbers = Array.from({ length: 160 }, (_, at) => 62_000 + at)
  for (let turn = 0; turn < 10; turn += 1) {
    const before = host.asked()
    host.share([...byTcp(numbers.slice(16 * turn, 16 * turn + 8)), ...byUdp([22, 80, 3306, 5353])])
    await until('the guest has asked', () => host.asked() > before + 1)
  }
  await until(
    'only the last ones are open',
    () => opened(guest, ...numbers).join() === numbers.slice(144, 152).join(),
  )
  assert.equal(opened(guest, 22, 80, 3306, 5353), [])
  host.share([])
  await until('none is open', () => opened(guest, ...numbers).length === 0)
})

for (const [what, list] of [
  ['hundreds of ports', byTcp(Array.from({ length: 400 }, (_, at) => 62_300 + at))],
  ['a port 0', byTcp([62_300, 0])],
  ['a negative port', byTcp([62_300, -1])],
  ['the port 65536', byTcp([62_300, 65_536])],
  ['no number', '[{"name":"a","tcp":62300},{"name":"b","tcp":NaN}]'],
  ['an endless number', '[{"name":"a","tcp":62300},{"name":"b","tcp":1e999}]'],
  ['half a port', byTcp([62_300, 62_301.5])],
  ['a text for a port', '[{"name":"a","tcp":62300},{"name":"b","tcp":"22"}]'],
  ['one port twice', [...byTcp([62_300]), { name: 'again', tcp: 62_300 }]],
] as const) {
  test(`a list with ${what} opens nothing`, async () => {
    const guest = await join(await openHostileHost([]))
    const other = await openHostileHost(list)
    await guest.ask('/room/stop', {})
    await guest.ask('/room/guest/start', { roomCode: other.room })
    await guest.until('exception')
    assert.is((await statusOf(guest)).errorCode, 'invalid-response')
    const numbers = Array.from({ length: 500 }, (_, at) => 62_300 + at)
    assert.equal(opened(guest, 0, 22, 65_535, ...numbers), [])
  })
}

/** Programs of this machine that listen already. */
const PLACES = [
  ['127.0.0.1', true],
  ['0.0.0.0', true],
  ['::1', hasIpv6],
  ['::', hasIpv6],
] as const

for (const [address, isThere] of PLACES) {
  test.skipUnless(isThere, 'there is no IPv6')(
    `a program that listens on ${address} keeps its port, by TCP and UDP`,
    async () => {
      const server = createServer((socket) => socket.end('mine'))
      add(async () => void server.close())
      const tcp = await openPort(server, address, 60_301)
      const socket = createSocket({ type: address.includes(':') ? 'udp6' : 'udp4' })
      add(async () => void socket.close())
      socket.bind({ address, port: 60_302, exclusive: true })
      await once(socket, 'listening')
      const wanted = [...byTcp([tcp]), ...byUdp([60_302])]
      const guest = await join(await openHostileHost(wanted), { keepPorts: [tcp, 60_302] })
      const [page, voice] = await shown(guest, wanted)
      assert.equal([page?.whyTcp, voice?.whyUdp], ['taken', 'taken'])
      assert.equal(opened(guest, tcp, 60_302), [])
      const reader = connect(tcp, address.includes(':') ? '::1' : '127.0.0.1')
      assert.is(`${(await once(reader, 'data'))[0]}`, 'mine')
      reader.destroy()
      // The program ends, and the player says yes once more.
      server.close()
      await guest.ask('/room/guest/ports', { keepPorts: [tcp] })
      const { ports } = await eventually(
        () => statusOf(guest),
        (status) => status.ports[0]?.whyTcp === undefined,
      )
      assert.is(ports[0]?.localTcp, tcp)
    },
  )
}

for (const port of [22, 80, 3306, 5353, 8000, 11_434]) {
  test(`a world that is said to be on port ${port} is opened on another one`, async () => {
    const guest = await join(await openHostileHost([], port))
    const { gamePort } = await statusOf(guest)
    assert.ok(gamePort >= 1024 && gamePort !== port, `${gamePort}`)
    assert.equal(opened(guest, port), [])
  })
}

test.run()
