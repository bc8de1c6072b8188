import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { readRoomCode } from '@lantern-room/protocol'
import { type Guest, startOurGuest } from '#support/easytier/guests'
import { type Host, startOurHost } from '#support/easytier/hosts'
import { realProgram, WHY_NO_PROGRAM } from '#support/easytier/program'
import { print } from '#support/easytier/report'
import { type Testbed, withTestbed } from '#support/easytier/testbed'
import { openLan } from '#support/namespaces/namespaces'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { encodeRequest } from '#support/room/protocolFrames'
import { type RoomProcess, startRoomProcess } from '#support/room/roomProcess'
import { assert, suite } from '#support/runner/suite'
import { readDialogue } from '#support/terracotta/dialogue'
import { requestOf } from '#support/terracotta/requestOf'
import { until } from '#support/values/until'
import dialogues from '../../fixtures/room/terracotta-dialogues.json'
import {
  canRunTerracotta,
  startTerracotta,
  type Terracotta,
  type TerracottaState,
  WHY_NO_TERRACOTTA,
} from './terracotta'

// Rooms with the real Terracotta in both roles, on machines of their own. docs/compatibility.md says how to build it.
const test = suite('Rooms with the real Terracotta', { timeoutMs: 240_000 })
/** Each look runs a program. */
const patiently = (what: string, isSo: () => Promise<boolean>) =>
  until(what, isSo, { ms: 60_000, everyMs: 100 })

const withReal = test.skipUnless(canRunTerracotta, WHY_NO_TERRACOTTA)
const withBoth = canRunTerracotta ? test.skipUnless(realProgram.core !== '', WHY_NO_PROGRAM) : withReal

const run = promisify(execFile)

/** Until a player that is gone is off the list, and its game's connections are closed. */
const GONE_MS = 15_000
/** For a machine that does more than this. */
const BUSY_MS = 5000

/** `type` of an exception of its guest (src/controller/api.rs). */
const ITS_EASYTIER_FAILED = 2

type Machine = 'host' | 'guest' | 'other'

type Table = Testbed & {
  /** Starts Terracotta on a machine. */
  terracotta(at: Machine): Promise<Terracotta>
  settingOf(at: Machine): Parameters<typeof startOurHost>[0]
  /** A file that is removed with the machines. */
  file(name: string): string
  ourHost(): Promise<Host>
  ourGuest(code: string, at?: Machine): Promise<Guest>
}

/** A test with both programs on machines of their own. */
function atTable(
  name: string,
  act: (table: Table) => Promise<void>,
  openNet?: typeof openLan,
  register = withReal,
): void {
  register(name, () =>
    withTestbed(async (testbed) => {
      const settingOf = (at: Machine) => ({
        inside: testbed.net[at].inside,
        worker: testbed.workers[at],
        nodes: [testbed.nodeUrl()],
      })
      const folder = await makeTempFolder('terracotta')
      testbed.add(() => removeFolders(folder))
      await testbed.startNode('our relay')
      await act({
        ...testbed,
        settingOf,
        file: (name) => join(folder, name),
        async terracotta(at) {
          const started = await startTerracotta(testbed.net[at].inside)
          testbed.add(started.kill)
          return started
        },
        async ourHost() {
          return testbed.keep(await startOurHost(settingOf('host')))
        },
        async ourGuest(code, at = 'guest') {
          return testbed.keep(await startOurGuest(settingOf(at), { room: openRoom(code) }))
        },
      })
    }, openNet),
  )
}

atTable(
  'our guest at its host: both lists, the game; the world sees at once that the guest leaves',
  async (table) => {
    const { host, code, gamePort } = await realHost(table)
    const guest = await table.ourGuest(code)
    await host.until(({ profiles }) => namesOf(profiles).includes('Steve'))
    const { players } = await ours(guest).status()
    assert.equal(namesOf(players), ['Alex', 'Steve'])

    await table.workers.guest.run({ do: 'play', port: guest.port })
    const before = await connections(table, gamePort)
    const startedAt = performance.now()
    await ours(guest).ask('/room/stop', {})
    await patiently('the world to see the end', async () => (await connections(table, gamePort)) < before)
    print('our guest leaves its host', { 'the world sees the end after': performance.now() - startedAt })
    await host.until(({ profiles }) => !namesOf(profiles).includes('Steve'))
  },
)

atTable('our guest at its host: the host closes the room, and the guest ends', async (table) => {
  const { host, code } = await realHost(table)
  const guest = await table.ourGuest(code)
  const startedAt = performance.now()
  await host.leave()
  await ours(guest).until('Error', 120_000)
  print('its host closes the room', { 'our guest ends after': performance.now() - startedAt })
})

atTable(
  'our guest at its host, to which a direct way leads only later: it waits for that, and gets in',
  async (table) => {
    // Terracotta runs with --p2p-only: it answers nothing that a shared node carries.
    await table.net.part('host', 'guest')
    const { code } = await realHost(table)
    const joining = table.ourGuest(code)
    await sleep(20_000)
    await table.net.unpart()
    const { firstEchoMs } = await joining
    print('a direct way to its host after 20 s', { 'first echo after': firstEchoMs })
    // The order came a moment after the test began to wait.
    assert.ok(firstEchoMs > 15_000)
  },
)

atTable('its guest at our host: both lists, the game, and the world on another port', async (table) => {
  const { host, guest, gamePort } = await realGuest(table, 'Steve')
  const { players } = await ours(host).status()
  assert.equal(namesOf(players), ['Alex', 'Steve'])

  const { port: next } = await reopen(table, host.gamePort, ours(host))
  assert.is.not(next, host.gamePort)
  await table.workers.guest.run({ do: 'firstEcho', port: gamePort, limitMs: 60_000 })
  assert.is((await guest.state()).state, 'guest-ok')
})

for (const how of ['leaves', 'is killed'] as const)
  atTable(
    `its guest at our host ${how} before its first ping: its connection to the world ends as well`,
    async (table) => {
      const host = await table.ourHost()
      const guest = await table.terracotta('guest')
      const gamePort = await joinIt(table, guest, host, 'Steve')
      await table.workers.guest.run({ do: 'play', port: gamePort })
      const before = await connections(table, host.gamePort)
      assert.is((await ours(host).status()).players.length, 1)
      const startedAt = performance.now()
      if (how === 'leaves') await guest.leave()
      else await guest.kill()
      await patiently(
        'its connection to be closed',
        async () => (await connections(table, host.gamePort)) < before,
      )
      const took = performance.now() - startedAt
      print(`its guest ${how} before its first ping`, { 'connection closed after': took })
      assert.ok(took < GONE_MS + BUSY_MS, `${took} ms`)
    },
  )

for (const how of ['leaves', 'is killed'] as const)
  atTable(
    `its guest at our host ${how}: no connection and no player stays; it may come back`,
    async (table) => {
      const { host, guest, gamePort } = await realGuest(table, 'Steve')
      await table.workers.guest.run({ do: 'play', port: gamePort })
      const before = await connections(table, host.gamePort)
      const startedAt = performance.now()
      if (how === 'leaves') await guest.leave()
      else await guest.kill()
      const goneAfter = async (holds: () => Promise<boolean>) => {
        await patiently('all of the guest to be gone', holds)
        return performance.now() - startedAt
      }
      const figures = await Promise.all([
        goneAfter(async () => (await connections(table, host.gamePort)) < before),
        goneAfter(async () => (await ours(host).status()).players.length === 1),
      ])
      print(`its guest ${how}`, { 'connection closed after': figures[0], 'off the list after': figures[1] })
      for (const took of figures) assert.ok(took < GONE_MS + BUSY_MS, `${took} ms`)

      const again = how === 'leaves' ? guest : await table.terracotta('guest')
      await joinIt(table, again, host, 'Steve')
      await patiently('it to be on the list again', async () =>
        namesOf((await ours(host).status()).players).includes('Steve'),
      )
    },
  )

atTable('its guest at our host: the host closes the room, and the guest is told', async (table) => {
  const { host, guest } = await realGuest(table, 'Steve')
  const startedAt = performance.now()
  await ours(host).ask('/room/stop', {})
  await guest.until(({ state }) => state === 'exception')
  print('our host closes the room', { 'its guest ends after': performance.now() - startedAt })
})

atTable('its guest at our host has no name: it gets one, and stays', async (table) => {
  const { host, guest } = await realGuest(table, '')
  const heartbeats = 3 * 5000
  await sleep(heartbeats)
  assert.is((await guest.state()).state, 'guest-ok')
  const [, name] = namesOf((await ours(host).status()).players)
  assert.ok(name)
})

atTable('its guest comes before the world of our host: it gets in once the world is open', async (table) => {
  const host = await table.ourHost()
  await table.workers.host.run({ do: 'closeWorld', port: host.gamePort })
  await patiently('the host to miss its world', async () => (await ours(host).status()).gamePort === 0)
  const guest = await table.terracotta('guest')
  await guest.join(host.room.text, 'Steve', [table.nodeUrl()])
  await guest.until(({ state }) => state === 'guest-starting')
  await sleep(10_000)
  await table.workers.host.run({ do: 'world', announcedOn: table.net.host.address })
  const gamePort = await arrival(table, guest, host, 'Steve')
  await table.workers.guest.run({ do: 'firstEcho', port: gamePort, limitMs: 30_000 })
})

atTable(
  'on one LAN, its host does not take the forward of our guest for a world',
  async (table) => {
    const host = await table.ourHost()
    await table.ourGuest(host.room.text)
    // It listens on the interface of the default route.
    const [ip = '', ...inside] = table.net.other.inside
    await run(ip, [...inside, 'ip', 'route', 'add', 'default', 'dev', 'lan0'])
    const other = await table.terracotta('other')
    const scanning = other.host('Bob', [table.nodeUrl()])
    scanning.catch(() => undefined)
    await sleep(10_000)
    assert.is((await other.state()).state, 'host-scanning')
    const port = await table.workers.other.run({ do: 'world', announcedOn: table.net.other.address })
    await scanning
    assert.is.not(port, 0)
  },
  openLan,
)

atTable('on one machine, our host does not take the forward of its guest for a world', async (table) => {
  const { host } = await realGuest(table, 'Steve')
  const settings = { ROOM_LAN_INTERFACES: '', ROOM_NODES: table.nodeUrl(), SCAFFOLDING_PORT: '24448' }
  const second = await startRoomProcess({ inside: table.net.guest.inside, settings })
  try {
    await second.host('Bob')
    await sleep(8000)
    assert.is((await second.status()).state, 'Host_GameDetecting')
    assert.is((await ours(host).status()).players.length, 2)
  } finally {
    await second.close()
  }
})

const itsGuestSays = async (table: Table) => {
  const record = table.file('guest')
  const host = await table.host('real', { record })
  const guest = await table.terracotta('guest')
  await joinIt(table, guest, host, 'Steve')
  const said = async () => {
    const { requests } = await readDialogue(record, 'server')
    // It may have been ordered in more than once.
    return requests.slice(requests.findLastIndex(({ kind }) => kind === requests[0]?.kind))
  }
  await patiently('two heartbeats', async () => (await said()).length >= 6)
  const requests = (await said()).slice(0, 6)
  const [recorded] = dialogues.guests
  assert.equal(
    requests.map((request) => anonymous(Buffer.from(encodeRequest(request)).toString('latin1'))),
    recorded?.steps.map((step) => anonymous(Buffer.from(requestOf(step)).toString('latin1'))),
  )
}

atTable('its guest says what the fixture says', itsGuestSays, undefined, withBoth)

atTable('its host answers what the fixture says', async (table) => {
  const record = table.file('host')
  const { gamePort } = await realHost(table)
  assert.is(await table.workers.host.run({ do: 'greet', port: 13_448, record }), gamePort)
  const { requests, responses } = await readDialogue(record, 'client')
  const answers = new Map(requests.map(({ kind }, at) => [kind, responses[at]]))
  for (const { name, response, text: words = '' } of dialogues.host) {
    const { status, data = Buffer.alloc(0) } = answers.get(name) ?? {}
    assert.is(status, 0, name)
    if (words !== '') assert.is(anonymous(Buffer.from(data).toString()), anonymous(words), name)
    else if (name !== 'c:server_port')
      assert.is(Buffer.from(data).toString('hex'), response.split(' ')[2] ?? '')
  }
})

/** Without what is another's on each machine and in each version: ids, versions, and the lengths that follow from them. */
function anonymous(text: string): string {
  return text
    .replaceAll(/"machine_id":"[0-9a-f]{32}"/g, '"machine_id":"?"')
    .replaceAll(/Terracotta [^ ,"]+, EasyTier [^"]+/g, 'Terracotta')
    .replace(/^(\rc:player_ping)[\s\S]{4}/, '$1')
}

async function realHost(table: Table) {
  const gamePort = await table.workers.host.run({ do: 'world', announcedOn: table.net.host.address })
  const host = await table.terracotta('host')
  return { host, gamePort, code: await host.host('Alex', [table.nodeUrl()]) }
}

async function realGuest(table: Table, player: string) {
  const host = await table.ourHost()
  const guest = await table.terracotta('guest')
  const startedAt = performance.now()
  const gamePort = await joinIt(table, guest, host, player)
  await table.workers.guest.run({ do: 'firstEcho', port: gamePort, limitMs: 30_000 })
  print('its guest at our host', { 'first echo after': performance.now() - startedAt })
  await patiently('our host to list it', async () => (await ours(host).status()).players.length === 2)
  return { host, guest, gamePort }
}

/** Orders its guest in. @returns the world's port there */
async function joinIt(table: Table, guest: Terracotta, host: Host, player: string): Promise<number> {
  await guest.join(host.room.text, player, [table.nodeUrl()])
  return arrival(table, guest, host, player)
}

/**
 * Waits until its guest, which was ordered in, is in the room. It opens four forwards of one port at once, and now and then its
 * EasyTier refuses one of them since another has taken the port for both families: then it is ordered once more.
 * @returns the world's port there
 */
async function arrival(table: Table, guest: Terracotta, { room }: Host, player: string): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const { state, type, url = '' } = await guest.until((now) => isGuest(now) || now.state === 'exception')
    if (state === 'guest-ok') return portOf(url)
    if (type !== ITS_EASYTIER_FAILED || tries === 5) throw new Error(`Its guest failed with type ${type}.`)
    await guest.leave()
    await guest.join(room.text, player, [table.nodeUrl()])
  }
}

/** Closes the world and opens it on another port, where the host finds it. */
async function reopen({ workers, net }: Table, gamePort: number, host: RoomProcess) {
  await workers.host.run({ do: 'closeWorld', port: gamePort })
  await patiently('the host to miss its world', async () => (await host.status()).gamePort === 0)
  return { port: await workers.host.run({ do: 'world', announcedOn: net.host.address }) }
}

function connections({ workers }: Table, port: number): Promise<number> {
  return workers.host.run({ do: 'connections', port })
}

const isGuest = ({ state }: TerracottaState) => state === 'guest-ok'
const portOf = (url: string) => Number(url.split(':')[1] ?? 25_565)
const namesOf = (players: readonly { readonly name: string }[] = []) => players.map(({ name }) => name).sort()

function ours({ service }: Host | Guest): RoomProcess {
  const found = typeof service === 'function' ? service() : service
  if (!found) throw new Error('it is not ours')
  return found
}

function openRoom(text: string): Host['room'] {
  const { code } = readRoomCode(text)
  if (code?.privacy !== 'open') throw new Error(`Terracotta gave a code that cannot be read: ${text}`)
  return code
}

test.run()
