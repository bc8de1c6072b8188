import type { ByteStream } from '#core/byteStream'
import type { RemotePeer } from '#core/easytier/peer/peerOptions'
import { createHostDialer } from '#core/room/network/hostDialer'
import { createFakeClock } from '#support/network/fakeClock'
import { failureCode } from '#support/room/failureOf'
import { assert, suite } from '#support/runner/suite'
import { each } from '#support/values/each'

const test = suite('room: dialling the host', { setUp })

type Dial = (count: number, signal: AbortSignal) => Promise<ByteStream>

const HOST = { record: { peerId: 7, address: '10.144.144.1' }, connection: {} } as unknown as RemotePeer

function setUp(dialHost: Dial = never) {
  const clock = createFakeClock()
  const controller = new AbortController()
  const world = { host: HOST, isSeen: true }
  const dials: { at: number; peerId: number; to: unknown }[] = []
  const dial = createHostDialer({
    network: {
      dial(peerId, to, signal) {
        dials.push({ at: clock.now(), peerId, to })
        return dialHost(dials.length, signal ?? controller.signal)
      },
    },
    host: () => world.host,
    isSeen: () => world.isSeen,
    clock,
    signal: controller.signal,
  })
  return { clock, controller, world, dials, dial }
}

test('a dial is begun anew after 1.5 s, and given up after 10 s', async ({ clock, dial, dials }) => {
  const failing = failureCode(dial(25_565))
  await clock.advance(9999)
  assert.equal(each(dials, 'at'), [0, 1550, 3100, 4650, 6200, 7750, 9300])
  assert.equal(dials[0], { at: 0, peerId: 7, to: { address: '10.144.144.1', port: 25_565 } })
  await clock.advance(1)
  assert.is(await failing, 'host-unreachable')
})

test('with patience a host that answers late is reached', async () => {
  const stream = {} as ByteStream
  const { clock, dial } = setUp(async (count, signal) => (count < 25 ? never(count, signal) : stream))
  let opened: ByteStream | undefined
  void dial(25_565, undefined, 60_000).then((one) => {
    opened = one
  })
  await clock.advance(37_000)
  assert.is(opened, undefined)
  await clock.advance(1000)
  assert.is(opened, stream)
})

test('patience does not help where no route leads to the host', async ({ clock, world, dial }) => {
  world.isSeen = false
  const failing = failureCode(dial(25_565, undefined, 60_000))
  await clock.advance(10_000)
  assert.is(await failing, 'host-unreachable')
})

test('a refused dial fails at once', async () => {
  const refusal = Object.assign(new Error('refused'), { reason: 'refused' })
  const { dial, dials } = setUp(() => Promise.reject(refusal))
  assert.is(await failureCode(dial(25_565)), 'host-unreachable')
  assert.is(dials.length, 1)
})

test('a host that returned as another peer is dialled as such', async () => {
  const { clock, world, dial, dials, controller } = setUp()
  const failing = dial(25_565).catch((error: unknown) => error)
  await clock.advance(100)
  world.host = { ...HOST, record: { ...HOST.record, peerId: 8 } }
  await clock.advance(1500)
  assert.equal(each(dials, 'peerId'), [7, 8])
  const left = new Error('left')
  controller.abort(left)
  await clock.advance(0)
  assert.is(await failing, left)
})

test('a stream that opens after its attempt is closed', async () => {
  let open: ((stream: ByteStream) => void) | undefined
  let destroyed = 0
  const { clock, dial, controller } = setUp((count, signal) =>
    count > 1
      ? never(count, signal)
      : new Promise((resolve) => {
          open = resolve
        }),
  )
  const failing = dial(25_565).catch((error: unknown) => error)
  await clock.advance(2000)
  open?.({ destroy: () => destroyed++ } as unknown as ByteStream)
  await clock.advance(0)
  assert.is(destroyed, 1)
  controller.abort(new Error('left'))
  await clock.advance(0)
  await failing
})

function never(_count: number, signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
}

test.run()
