import { createDeferred } from '@lantern-room/base/async'
import type { ByteStream } from '@lantern-room/base/bytes'
import { exceptionTypeOf, type FailureCode, HINTS, RoomFailure } from '#internal/room/failure'
import type { NetworkConnection, RoomNetwork } from '#internal/room/roomNetwork'
import type { FeedMessage } from '#internal/room/service/state/feedMessages'
import { streamPair } from '#support/network/streamPair'
import { guestConnection } from '#support/room/guestConnection'
import { type SimulatedRoom, simulatedRoomsOf } from '#support/room/simulatedRooms'
import { assert, suite } from '#support/runner/suite'
import { text } from '#support/values/bytes'
import { type Answer, answerAll, ROOM_FINGERPRINT } from '../../protocol/scaffolding/answerAll'

const test = suite('how a room fails')

const CODE = 'U/YNZE-U61D-2206-HXRG'
const setting = simulatedRoomsOf(test)

function failed({ roomState }: SimulatedRoom) {
  const { stage, failure, url, gamePort, players } = roomState.view()
  assert.equal({ stage, url, gamePort, players }, { stage: 'Error', url: null, gamePort: 0, players: [] })
  assert.is(failure?.hint, failure && HINTS[failure.code])
  return [failure?.code, failure?.type, failure?.stage]
}

test('each code has its number, the network’s by the role', () => {
  const types: Readonly<Record<FailureCode, readonly [asHost: number, asGuest: number]>> = {
    'host-not-found': [0, 0],
    'host-unreachable': [0, 0],
    'wrong-room': [0, 0],
    'several-hosts': [0, 0],
    'own-room': [0, 0],
    'room-full': [0, 0],
    refused: [0, 0],
    removed: [1, 1],
    'room-closed': [1, 1],
    'connection-lost': [1, 1],
    'no-relay-reachable': [3, 2],
    'no-internet': [3, 2],
    'wifi-login': [3, 2],
    'network-failed': [3, 2],
    'port-in-use': [3, 2],
    'game-gone': [4, 4],
    'game-not-started': [4, 4],
    'fingerprint-mismatch': [5, 5],
    'not-encrypted': [5, 5],
    'host-changed': [5, 5],
    'invalid-response': [5, 5],
    internal: [3, 2],
  }
  for (const code of Object.keys(HINTS) as FailureCode[]) {
    assert.equal([exceptionTypeOf(code, 'host'), exceptionTypeOf(code, 'guest')], types[code], code)
    assert.match(HINTS[code], /^[A-Z].*\.$/)
  }
})

test('what the network says is the failure of a host, and of a guest', async () => {
  const code = 'no-relay-reachable'
  const roomNetwork = brokenNetwork(new RoomFailure(code, 'It is so.'))
  const [host, guest] = [setting.open({ roomNetwork }), setting.open({ roomNetwork })]
  await host.host({ waitForGame: false })
  assert.equal(failed(host), [code, 3, 'Host_NetworkStarting'])
  assert.equal(host.machine.listening, [])
  await guest.join(CODE)
  assert.equal(failed(guest), [code, 2, 'Guest_NetworkStarting'])
})

test('an unexpected error is shown as a fixed text; its own text goes to the log alone', async () => {
  const host = setting.open({ roomNetwork: brokenNetwork(new TypeError('x is not a function at /home/me')) })
  const published: FeedMessage[] = []
  host.feed.subscribe((message) => published.push(message))
  await host.host({ waitForGame: false })
  assert.equal(failed(host), ['internal', 3, 'Host_NetworkStarting'])
  assert.is(host.roomState.view().failure?.detail, 'Something went wrong here.')
  assert.ok(published.some((message) => message.type === 'log' && message.level === 'error'))
  const answers = await Promise.all(
    ['/state', '/room/status'].map(async (path) => (await host.ask(path)).text()),
  )
  for (const shown of [JSON.stringify(published), ...answers]) {
    assert.match(shown, 'Something went wrong here.')
    assert.not.match(shown, /not a function|home/)
  }
  assert.match(host.log.text(), 'x is not a function at /home/me')
})

test('a host without any port', async () => {
  const host = setting.open()
  host.machine.occupy('all')
  await host.host({ waitForGame: false })
  assert.equal(failed(host), ['port-in-use', 3, 'Host_ScaffoldingStarting'])
})

test('a network that goes down under a host, and under a guest', async () => {
  const { roomNetwork, fail } = createFragileNetwork(setting.network.roomNetwork)
  const [host, guest] = [setting.open({ roomNetwork }), setting.open({ roomNetwork })]
  host.machine.openWorld(30_000)
  await guest.join(await host.host({ gamePort: 30_000 }))
  assert.is(guest.roomState.view().stage, 'Guest_Running')
  fail(new RoomFailure('network-failed', 'A socket was closed.'))
  await setting.clock.advance(0)
  assert.equal(failed(host), ['network-failed', 3, 'Host_Running'])
  assert.equal(failed(guest), ['network-failed', 2, 'Guest_Running'])
})

const STAGE = 'Guest_ConnectingScaffolding'
const HONEST: Readonly<Record<string, Answer>> = {
  'c:ping': { status: 0, data: ROOM_FINGERPRINT },
  'c:player_ping': { status: 0, data: text('') },
  'c:protocols': { status: 0, data: text('c:ping') },
  'c:server_port': { status: 0, data: Uint8Array.of(1, 0) },
  'lantern:identity': { status: 255, data: text('Unknown command.') },
  'c:player_profiles_list': { status: 0, data: text('[]') },
}

for (const [kind, answer, code] of [
  ['c:ping', { status: 0, data: Uint8Array.of(1) }, 'fingerprint-mismatch'],
  ['c:ping', { status: 255, data: text('no') }, 'fingerprint-mismatch'],
  ['c:player_ping', { status: 255, data: text('no') }, 'invalid-response'],
  ['c:player_ping', { status: 255, data: text('The room is full.') }, 'room-full'],
  ['c:player_ping', { status: 33, data: text('The room is full.') }, 'invalid-response'],
  ['c:protocols', { status: 0, data: Uint8Array.of(0xff) }, 'invalid-response'],
  ['c:server_port', { status: 0, data: Uint8Array.of(0, 0) }, 'invalid-response'],
  ['c:server_port', { status: 33, data: text('') }, 'invalid-response'],
] as const)
  test(`a host that answers ${kind} with ${answer.status} and ${answer.data.length} bytes is ${code}`, async () => {
    const guest = setting.open({ roomNetwork: answeringNetwork({ ...HONEST, [kind]: answer }) })
    await guest.join(CODE)
    await setting.clock.advance(4000)
    assert.equal(failed(guest), [code, exceptionTypeOf(code, 'guest'), STAGE])
  })

test('a host that says nothing is given up after 10 s', async () => {
  const guest = setting.open({ roomNetwork: answeringNetwork({}) })
  await guest.join(CODE)
  await setting.clock.advance(9900)
  assert.is(guest.roomState.view().stage, STAGE)
  await setting.clock.advance(200)
  assert.equal(failed(guest), ['connection-lost', 1, STAGE])
})

function brokenNetwork(error: Error): RoomNetwork {
  return {
    version: 'broken',
    host: () => Promise.reject(error),
    find: () => Promise.reject(error),
    async join({ onStep }) {
      onStep('starting')
      onStep('connecting-nodes')
      throw error
    },
  }
}

/** Every session of it can be told something. */
function createFragileNetwork(real: RoomNetwork) {
  const failed = createDeferred<never>()
  const fragile = <T extends NetworkConnection>(connection: T): T => {
    const closed = Promise.race([connection.closed, failed.promise])
    closed.catch(() => undefined)
    return { ...connection, closed }
  }
  const roomNetwork: RoomNetwork = {
    ...real,
    host: async (options) => fragile(await real.host(options)),
    join: async (options) => fragile(await real.join(options)),
  }
  return { roomNetwork, fail: failed.reject }
}

/** A host that answers each kind so; what is not there it does not answer at all. */
function answeringNetwork(answers: Readonly<Record<string, Answer>>): RoomNetwork {
  const streams = new Set<ByteStream>()
  return {
    version: 'answering',
    host: () => Promise.reject(new Error('no host here')),
    find: () => Promise.reject(new Error('no host here')),
    async join({ onStep, signal }) {
      onStep('host-found')
      const { host } = guestConnection()
      return guestConnection({
        closed: new Promise((resolve) =>
          signal.addEventListener('abort', () => {
            for (const stream of streams) stream.destroy()
            resolve()
          }),
        ),
        host: { ...host, isOurs: false },
        async dial() {
          const [near, far] = streamPair()
          streams.add(near)
          void answerAll(far, answers)
          return near
        },
      })
    },
  }
}

test.run()
