import { sleep } from '@lantern-room/base/async'
import { openNetworkOf } from '@lantern-room/protocol'
import { createScaffoldingClient } from '@lantern-room/protocol/client'
import type { GuestConnection } from '#internal/room/roomNetwork'
import { roomOf } from '#support/room/testRoomNetwork'
import { type SimulatedRoom, simulatedRoomsOf } from '../../../../support/room/simulatedRooms'
import { assert, suite } from '../../../../support/runner/suite'

const test = suite('joining')

const setting = simulatedRoomsOf(test)
let host: SimulatedRoom
let guest: SimulatedRoom
let room: string
let closeWorld: () => void

test.before.each(async () => {
  host = setting.open()
  guest = setting.open()
  closeWorld = host.machine.openWorld(30_000, { announced: true })
  room = await host.host({ gamePort: 30_000, playerName: 'Alex' })
})

const advance = (ms: number) => setting.clock.advance(ms)
const shown = () => guest.shown()
const networkOf = (code: string) => openNetworkOf(roomOf(code)).name
const network = () => networkOf(room)

/** Answers of a world need no time, only promises. */
async function echo(port: number, line: string): Promise<string | undefined> {
  const answer = guest.machine.echo(port, line)
  await advance(0)
  return answer
}

test('the address has no port when it is the game’s own', async () => {
  host.machine.openWorld(25_565)
  await host.ask('/room/host/game', { gamePort: 25_565 })
  await advance(5000)
  await guest.join(room)
  assert.equal([shown().url, shown().gamePort], ['127.0.0.1', 25_565])
})

test('while no world is open, the guest waits in the room for 60 s and is a player of it', async () => {
  closeWorld()
  await advance(16_000)
  await guest.join(room)
  assert.is(shown().stage, 'Guest_ConnectingScaffolding')
  assert.match(shown().notice?.text ?? '', /your friend has to open it to LAN/)
  await advance(40_000)
  assert.is(host.roomState.view().players.length, 2)
  assert.is(guest.roomState.view().players.length, 2)
  host.machine.openWorld(31_000, { announced: true })
  await advance(5000)
  assert.equal([shown().stage, shown().notice], ['Guest_Running', null])
  assert.is(await echo(shown().gamePort, 'hello'), 'hello')
})

test('a world that is never opened is a failure of its own', async () => {
  const waiting = setting.open()
  const empty = await waiting.host({ waitForGame: false, gamePort: 1 })
  await guest.join(empty)
  await advance(59_000)
  assert.is(shown().stage, 'Guest_ConnectingScaffolding')
  await advance(3000)
  assert.equal([shown().stage, shown().code], ['Error', 'game-not-started'])
  const { failure } = guest.roomState.view()
  assert.equal([failure?.type, failure?.stage], [4, 'Guest_ConnectingScaffolding'])
})

test('when the world moves to another port, the guest’s local port stays', async () => {
  await guest.join(room)
  const { gamePort } = shown()
  closeWorld()
  await advance(20_000)
  assert.equal([shown().stage, shown().gamePort], ['Guest_Running', gamePort])
  assert.match(shown().notice?.text ?? '', /your friend has to open it again/)
  host.machine.openWorld(31_000, { announced: true })
  await advance(8000)
  assert.equal([shown().stage, shown().gamePort, shown().notice], ['Guest_Running', gamePort, null])
  assert.is(await echo(gamePort, 'again'), 'again')
})

test('a lost line is said at once, and taken up again at once on the same port', async () => {
  await guest.join(room)
  const { gamePort, url } = shown()
  setting.network.cut(network())
  await advance(0)
  assert.equal([shown().stage, shown().url], ['Guest_Reconnecting', null])
  assert.is(guest.roomState.view().state, 'guest-starting')
  await advance(55_000)
  assert.is(shown().stage, 'Guest_Reconnecting')
  setting.network.heal(network())
  await advance(0)
  assert.equal([shown().stage, shown().url, shown().gamePort], ['Guest_Running', url, gamePort])
  assert.is(await echo(gamePort, 'hello'), 'hello')
})

test('a line that stays away for 60 s is lost for good', async () => {
  await guest.join(room)
  setting.network.cut(network())
  await advance(59_000)
  assert.is(shown().stage, 'Guest_Reconnecting')
  await advance(2000)
  assert.equal([shown().stage, shown().code], ['Error', 'connection-lost'])
  const { failure } = guest.roomState.view()
  assert.equal([failure?.type, failure?.stage], [1, 'Guest_Reconnecting'])
  assert.equal(guest.machine.listening, [])
  assert.equal(guest.machine.announced, [])
})

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

const joinAndWait = async () => {
  await guest.ask('/room/guest/start', { roomCode: room, playerName: 'Steve', wait: true })
  await advance(0)
}

test('a guest that waits is told so, and goes on by itself at the same port, however long it takes', async () => {
  await joinAndWait()
  const { gamePort, url } = shown()
  for (const awayMs of [70 * SECOND, 150 * SECOND, 15 * MINUTE, 3 * HOUR]) {
    setting.network.cut(network())
    await advance(awayMs)
    assert.equal([shown().stage, shown().notice?.code], ['Guest_Reconnecting', 'awaiting-host'])
    assert.equal([guest.roomState.view().state, guest.machine.listening], ['guest-starting', [gamePort]])
    setting.network.heal(network())
    await advance(SECOND)
    assert.equal([shown().stage, shown().url, shown().notice], ['Guest_Running', url, null], `${awayMs} ms`)
    assert.is(await echo(gamePort, 'hello'), 'hello')
  }
})

test('a guest that waits gives up after 12 h, as others do after a minute', async () => {
  await joinAndWait()
  setting.network.cut(network())
  await advance(12 * HOUR - SECOND)
  assert.is(shown().stage, 'Guest_Reconnecting')
  await advance(MINUTE + SECOND)
  assert.equal([shown().stage, shown().code], ['Error', 'connection-lost'])
  assert.equal(guest.machine.listening, [])
})

test('a guest that waits for a host that comes back encrypting otherwise is told so within half a minute', async () => {
  await joinAndWait()
  setting.network.cut(network())
  await advance(10 * MINUTE)
  // A relay may have pretended that for a while.
  setting.network.encryptOtherwise(network(), true)
  await advance(20 * SECOND)
  setting.network.encryptOtherwise(network(), false)
  await advance(5 * MINUTE)
  assert.equal([shown().stage, shown().notice?.code], ['Guest_Reconnecting', 'awaiting-host'])
  setting.network.heal(network())
  setting.network.encryptOtherwise(network(), true)
  setting.network.cut(network())
  await advance(29 * SECOND)
  assert.is(shown().stage, 'Guest_Reconnecting')
  await advance(3 * SECOND)
  assert.equal([shown().stage, shown().code], ['Error', 'host-unreachable'])
  assert.is(guest.roomState.view().failure?.hintCode, 'other-encryption')
})

test('a guest that waits is in the room of a new run of the host, also where the world comes later, at another port', async () => {
  await joinAndWait()
  const { gamePort } = shown()
  setting.network.vanish(network())
  await host.service.stop()
  await advance(5 * MINUTE)
  closeWorld()
  await host.host({ room, waitForGame: false, gamePort: 31_000, playerName: 'Alex' })
  await advance(2 * MINUTE)
  assert.equal([shown().stage, shown().notice?.code], ['Guest_Reconnecting', 'world-closed'])
  host.machine.openWorld(31_000)
  await advance(5 * SECOND)
  assert.equal([shown().stage, shown().gamePort, shown().notice], ['Guest_Running', gamePort, null])
  assert.is(await echo(gamePort, 'again'), 'again')
})

test('a guest that waits to be let in, or for a world, goes on when the host is back', async () => {
  const asking = setting.open()
  const asked = await asking.host({ approval: true, gamePort: 1, waitForGame: false })
  await guest.ask('/room/guest/start', { roomCode: asked, playerName: 'Steve', wait: true })
  await advance(SECOND)
  assert.is(shown().stage, 'Guest_AwaitingApproval')
  for (const awayMs of [70 * SECOND, 20 * MINUTE]) {
    setting.network.vanish(networkOf(asked))
    await asking.service.stop()
    await advance(awayMs)
    assert.is(shown().notice?.code, 'awaiting-host')
    await asking.host({ room: asked, gamePort: 1, waitForGame: false })
    await advance(2 * MINUTE)
    assert.equal([shown().stage, shown().notice?.code], ['Guest_ConnectingScaffolding', 'awaiting-world'])
  }
  asking.machine.openWorld(1)
  await advance(6 * SECOND)
  assert.is(shown().stage, 'Guest_Running')
})

test('a room that was closed is not waited for', async () => {
  await joinAndWait()
  await host.service.stop()
  await advance(2 * SECOND)
  assert.equal([shown().stage, shown().code], ['Error', 'room-closed'])
})

test('who has not waited is told that one can, and waits from then on', async () => {
  await guest.join(room)
  setting.network.vanish(network())
  await host.service.stop()
  await advance(61 * SECOND)
  assert.is(shown().code, 'connection-lost')
  assert.match(guest.roomState.view().failure?.hint ?? '', /If you choose to wait/)
  await guest.ask('/room/retry', { wait: true })
  await advance(5 * MINUTE)
  assert.equal([shown().stage, shown().notice?.code], ['Guest_NetworkStarting', 'awaiting-room'])
  await host.host({ room, gamePort: 30_000, playerName: 'Alex' })
  await advance(3 * SECOND)
  assert.is(shown().stage, 'Guest_Running')
})

test('a room that this machine hosts itself is told as such, and the player is taken off its list', async () => {
  const identity = { machineId: 'e'.repeat(32), secret: new Uint8Array(32).fill(77) }
  const [run, other] = [new Uint8Array(16).fill(1), new Uint8Array(16).fill(2)]
  const own = setting.open({ identity: { ...identity, run } })
  own.machine.openWorld(30_000)
  const ownRoom = await own.host({ gamePort: 30_000 })
  // A second program of one data folder is a player of its own.
  const second = { ...identity, machineId: 'f'.repeat(32), run: other }
  const same = setting.open({ identity: { ...second, claimedRun: async () => run } })
  await same.join(ownRoom)
  assert.equal([same.shown().stage, same.shown().code], ['Error', 'own-room'])
  assert.is(own.roomState.view().players.length, 1)
  const elsewhere = setting.open({ identity: second })
  await elsewhere.join(ownRoom)
  assert.equal([elsewhere.shown().stage, own.roomState.view().players.length], ['Guest_Running', 2])
})

test('a host that returns without a world is told apart from one that does not return', async () => {
  await guest.join(room)
  setting.network.vanish(network())
  await host.service.stop()
  await host.host({ room, waitForGame: false, gamePort: 1 })
  await advance(62_000)
  assert.equal([shown().stage, shown().code], ['Error', 'game-not-started'])
})

test('a host that can be reached only after 37 s is waited for, and the guest says what it waits for', async () => {
  const { roomNetwork } = setting.network
  const slow = setting.open({
    roomNetwork: {
      ...roomNetwork,
      async join(options) {
        const connection = await roomNetwork.join(options)
        const { host: member } = connection
        const dial: GuestConnection['dial'] = async (port, signal, patienceMs = 10_000) => {
          await sleep(setting.clock, Math.min(patienceMs, 37_000 - setting.clock.now()), options.signal)
          return connection.dial(port, signal)
        }
        return { ...connection, host: member, dial }
      },
    },
  })
  await slow.join(room)
  const view = () => slow.roomState.view()
  assert.is(view().notice, null)
  await advance(30_000)
  assert.is(view().stage, 'Guest_ConnectingScaffolding')
  assert.match(view().notice?.text ?? '', /room is found\. Waiting for a path/)
  await advance(7000)
  assert.equal([view().stage, view().notice], ['Guest_Running', null])
})

test('a room that is full says so', async () => {
  const stop = new AbortController()
  for (let number = 1; number < 64; number++) {
    const session = await setting.member(host, stop.signal)
    const stream = await session.dial(session.host.roomPort)
    const client = createScaffoldingClient(stream, { clock: setting.clock, signal: stop.signal })
    await client.playerPing({ name: `P${number}`, machineId: `f${number}`, vendor: '' })
  }
  await guest.join(room)
  assert.equal([shown().stage, shown().code], ['Error', 'room-full'])
  const { failure } = guest.roomState.view()
  assert.equal([failure?.type, failure?.detail], [0, 'The room is full.'])
  assert.match(failure?.hint ?? '', /^Wait until a player leaves/)
  await advance(16_000)
  await guest.ask('/room/retry', {})
  await advance(0)
  assert.is(shown().stage, 'Guest_Running')
  stop.abort()
})

test('a world that does not answer any more keeps a guest from being told that all is well', async () => {
  closeWorld()
  await guest.join(room)
  await advance(4000)
  assert.equal([shown().stage, shown().code, shown().url], ['Error', 'host-unreachable', null])
  assert.not.ok(guest.stages.includes('Guest_Running'))
})

test('a world that knows no ping is one, when it keeps the connection', async () => {
  closeWorld()
  host.machine.openWorld(30_000, { mute: true })
  await guest.join(room)
  await advance(4000)
  assert.is(shown().stage, 'Guest_Running')
})

test('a machine without a free port is told so', async () => {
  guest.machine.occupy('all')
  await guest.join(room)
  assert.equal([shown().stage, shown().code], ['Error', 'port-in-use'])
  const { failure } = guest.roomState.view()
  assert.equal([failure?.type, failure?.stage], [2, 'Guest_ConnectingScaffolding'])
})

test.run()
