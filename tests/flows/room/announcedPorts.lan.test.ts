import { createLanAnnouncer } from '#core/adapters/lan/lanAnnouncer'
import { createMemoryNetwork } from '#support/network/memoryNetwork'
import { openSocketServer } from '#support/process/openPort'
import type { OpenRoom } from '#support/room/openRoom'
import { openServedTarget } from '#support/room/roomTargets'
import { virtualPlayersOf } from '#support/room/virtualPlayers'
import { assert, suite } from '#support/runner/suite'
import { silentLog } from '#support/values/testLog'
import { eventually } from '#support/values/until'

// Real announcements on loopback, by any program of this machine, of ports behind which there is no game.
const test = suite('announced ports without a game', { timeoutMs: 60_000 })

const { add, clock, open, announceWorld } = virtualPlayersOf(test)

/** An SSH server: it speaks first, and understands no ping. */
async function startSshServer(): Promise<number> {
  const { port, close } = await openSocketServer((socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n'))
  add(close)
  return port
}

function announce(port: number, motd = 'Alex - Castle'): void {
  const stop = new AbortController()
  const announcer = createLanAnnouncer({
    interfaces: ['127.0.0.1'],
    clock,
    log: silentLog(),
    as: 'game',
  })
  const announcing = announcer.announce({ motd, port }, stop.signal)
  add(async () => {
    stop.abort()
    await announcing
  })
}

const answerOf = async (room: Pick<OpenRoom, 'ask'>, path: string, body?: unknown) =>
  (await (await room.ask(path, body)).json()) as {
    readonly state: string
    readonly hint: string
    readonly hintCode: string | null
    readonly gamePort: number
    readonly servers: readonly {
      readonly endPoint: string
      readonly isVerified: boolean
      readonly local: boolean
    }[]
  }

const untilHinted = (room: Pick<OpenRoom, 'ask'>, hintCode: string) =>
  eventually(
    () => answerOf(room, '/room/status'),
    (status) => status.hintCode === hintCode,
  )

test('an SSH server that is announced as a world is offered, not shared, and hosted when it is chosen', async () => {
  const port = await startSshServer()
  const host = open('192.168.1.2')
  announce(port)
  await host.ask('/room/host/start', {})
  const { state, hint } = await untilHinted(host, 'world-unverified')
  assert.is(state, 'Host_GameDetecting')
  assert.match(hint, new RegExp(`announced on port ${port}, but .* does not answer like a game`))
  const { servers } = await answerOf(host, '/game/servers')
  assert.equal(
    servers.map(({ endPoint, isVerified, local }) => [endPoint, isVerified, local]),
    [[`127.0.0.1:${port}`, false, true]],
  )
  await host.ask('/room/host/game', { gamePort: port })
  await host.until('host-ok')
  const shared = await answerOf(host, '/room/status')
  assert.equal([shared.gamePort, shared.hintCode], [port, null])
})

test('a room that is open before its world does not take it either, and takes the game that comes', async () => {
  const host = open('192.168.1.2')
  announce(await startSshServer())
  await host.ask('/room/host/start', { waitForGame: false })
  await host.until('host-ok')
  await untilHinted(host, 'world-unverified')
  assert.is((await answerOf(host, '/room/status')).gamePort, 0)
  const world = await announceWorld()
  const { hintCode } = await eventually(
    () => answerOf(host, '/room/status'),
    ({ gamePort }) => gamePort === world.port,
  )
  assert.is(hintCode, null)
})

test('a service of this kind is no world, however often it is announced', async () => {
  const { roomNetwork } = createMemoryNetwork()
  const [one, other] = [await openServedTarget(roomNetwork), await openServedTarget(roomNetwork)]
  for (const { stop } of [one, other]) add(stop)
  const portOf = ({ url }: typeof one) => Number(new URL(url).port)
  for (const target of [one, other]) announce(portOf(target))
  const room = { ask: (path: string) => one.send(path) }
  await room.ask('/state/scanning')
  // The other one is heard, and is not offered: that its announcement was heard shows that the own one was, too.
  const { servers } = await eventually(
    () => answerOf(room, '/game/servers'),
    (answer) => answer.servers.length > 0,
  )
  assert.equal(
    servers.map(({ endPoint }) => endPoint),
    [`127.0.0.1:${portOf(other)}`],
  )
  const world = await announceWorld()
  const status = await eventually(
    () => answerOf(room, '/room/status'),
    ({ gamePort }) => gamePort !== 0,
  )
  assert.is(status.gamePort, world.port)
})

test.run()
