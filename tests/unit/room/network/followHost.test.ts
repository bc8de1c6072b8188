import type { RemotePeer } from '#core/easytier/peer/peerOptions'
import type { CallDone } from '#core/easytier/peer/rpcCalls'
import { createHostFollower } from '#core/room/network/followHost'
import { LEAVE_MS, REACH_MS } from '#core/room/network/moveStep'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { silentLog } from '#support/values/testLog'

const test = suite('room: a guest follows the host to another secret', { setUp })

const HOST = 7
const [FIRST, SECOND] = [1, 2].map((byte) => new Uint8Array(32).fill(byte)) as [Uint8Array, Uint8Array]

test('it moves when the host has answered there, and leaves the network of the code later', async () => {
  const { clock, follower, world, moves } = setUp()
  follower.follow(FIRST)
  await clock.advance(3000)
  assert.equal([world.list, moves, follower.hasMoved()], [[0, 1], [], false])
  world.answers = true
  await clock.advance(1500)
  assert.equal([moves, follower.hasMoved()], [[[HOST, 1]], false])
  await clock.advance(LEAVE_MS + 500)
  assert.equal([world.list, follower.hasMoved(), clock.timers], [[1], true, 0])
  follower.follow(FIRST)
  await clock.advance(1000)
  assert.equal(world.list, [1], 'the same secret is told with each heartbeat')
})

test('a secret that comes amid a move takes its place', async ({ clock, follower, world, moves }) => {
  follower.follow(FIRST)
  await clock.advance(1000)
  world.answers = true
  follower.follow(SECOND)
  await clock.advance(LEAVE_MS + 2000)
  assert.equal([moves, world.list, clock.timers], [[[HOST, 2]], [2], 0])
})

test('a host that is not found there is given up, and looked for again when it tells the secret again', async () => {
  const { clock, follower, world } = setUp()
  follower.follow(FIRST)
  await clock.advance(REACH_MS + 1000)
  assert.equal([world.list, clock.timers], [[0], 0])
  follower.follow(FIRST)
  await clock.advance(0)
  assert.equal(world.list, [0, 2])
})

test('one that cannot be opened is tried again when the host tells it again', async () => {
  const { clock, follower, world } = setUp()
  world.canOpen = false
  follower.follow(FIRST)
  await clock.advance(0)
  world.canOpen = true
  follower.follow(FIRST)
  await clock.advance(0)
  assert.equal(world.list, [0, 1])
})

test('the end of the room ends the move', async ({ clock, follower, stop }) => {
  follower.follow(FIRST)
  await clock.advance(500)
  stop()
  await clock.advance(5000)
  assert.is(clock.timers, 0)
})

function setUp() {
  const clock = createFakeClock()
  const stopping = new AbortController()
  const world = { list: [0], answers: false, canOpen: true }
  const moves: [number, number][] = []
  let last = 0
  const record = { peerId: HOST, hostname: 'scaffolding-mc-server-13448', address: '10.144.144.1' }
  const host = {
    record: { ...record, features: { isSharedNode: false } },
    connection: undefined,
    via: {},
  } as unknown as RemotePeer
  const mesh = {
    peer: () => (world.answers ? host : undefined),
    call(_peerId: number, _method: string, _request: Uint8Array, ms: number, done: CallDone) {
      if (world.answers) clock.after(20, () => done({ kind: 'answer', response: new Uint8Array(0) }))
      else clock.after(ms, () => done({ kind: 'silence' }))
    },
  }
  const generations = {
    list: () => world.list,
    at: (generation: number) => (world.list.includes(generation) ? mesh : undefined),
    peersOf: (generation: number) => (moves.some(([, to]) => to === generation) ? [host] : []),
    move: (peerId: number, generation: number) => void moves.push([peerId, generation]),
    async close(generation: number) {
      world.list = world.list.filter((one) => one !== generation)
    },
    open: () => assert.unreachable() as never,
  }
  const follower = createHostFollower({
    hostId: () => HOST,
    member: {
      signal: stopping.signal,
      network: { generations, peers: () => [host] },
      async openNext() {
        if (!world.canOpen) throw new Error('no socket')
        last += 1
        world.list = [...world.list, last]
        return last
      },
    },
    clock,
    log: silentLog(),
  })
  return { clock, follower, world, moves, stop: () => stopping.abort(new Error('left')) }
}

test.run()
