import { PortMapper } from '#internal/routers/portMapper'
import { routerPorts } from '#internal/routers/routerPorts'
import { settle } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { createRouterGround, pmpRouter } from './routerGround'

const test = suite('ports of the router, while a network is open')

/** Maps the ports of both listeners until `end`, after which nothing of it is open. */
function start(ground: ReturnType<typeof createRouterGround>) {
  const stop = new AbortController()
  let changes = 0
  const mapper = PortMapper.open(
    {
      ...ground,
      ports: { tcp: 11, udp: 12 },
      onChange: () => {
        changes += 1
      },
    },
    stop.signal,
  )
  const ticks = async (ms: number) => {
    for (let turn = 0; turn < 20; turn += 1) await settle()
    await ground.clock.advance(ms)
    for (let turn = 0; turn < 20; turn += 1) await settle()
  }
  const end = async (ms = 0) => {
    stop.abort(new Error('over'))
    await ticks(ms)
    await mapper.closed
    assert.equal([ground.sockets(), ground.clock.timers], [0, 0])
  }
  return { mapper, ticks, end, changes: () => changes }
}

test('both listeners are mapped, renewed at half of the lease, and removed at the end', async () => {
  const ground = createRouterGround({ datagram: pmpRouter('20.0.0.1') })
  const { mapper, ticks, end, changes } = start(ground)
  await ticks(0)
  assert.equal(
    mapper.mappings().map(({ transport, external }) => [transport, external.port]),
    [
      ['udp', 12],
      ['tcp', 11],
    ],
  )
  assert.equal([...ground.recorded.keys()].sort(), ['tcp', 'udp'])
  const asked = () => ground.sent.filter(([bytes]) => bytes.length === 12).length
  for (let minute = 1; minute < 5; minute += 1) await ticks(60_000)
  assert.is(asked(), 2)
  await ticks(60_000)
  assert.equal([asked(), changes()], [4, 1])
  await end()
  assert.equal([mapper.mappings(), ground.recorded.size], [[], 0])
})

test('after a change of the network the router is asked at once', async () => {
  const ground = createRouterGround({ datagram: pmpRouter('20.0.0.1') })
  const asked = () => ground.sent.filter(([bytes]) => bytes.length === 12).length
  const { mapper, ticks, end } = start(ground)
  await ticks(0)
  assert.equal(new Set(mapper.mappings().map(({ method }) => method)), new Set(['nat-pmp']))
  assert.is(asked(), 2)
  mapper.restart()
  await ticks(0)
  assert.is(asked(), 4)
  await end()
  assert.is(ground.recorded.size, 0)
})

test('without a router it asks again after two minutes, and leaves nothing open', async () => {
  const ground = createRouterGround()
  const { mapper, ticks, end, changes } = start(ground)
  await ticks(3000)
  assert.equal([mapper.mappings(), changes(), ground.sockets()], [[], 0, 0])
  const sent = ground.sent.length
  await ticks(120_000)
  assert.ok(ground.sent.length > sent)
  await end()
})

test('a router that closes nothing delays the end by half a second, and the next run closes the ports', async () => {
  let isMute = false
  const answer = pmpRouter('20.0.0.1')
  const ground = createRouterGround({ datagram: (bytes, to) => (isMute ? [] : answer(bytes, to)) })
  const { ticks, end } = start(ground)
  await ticks(0)
  isMute = true
  await end(500)
  assert.equal([...ground.recorded.keys()].sort(), ['tcp', 'udp'])
  isMute = false
  const before = ground.sent.length
  await routerPorts(ground).removeLeftovers()
  assert.equal([ground.sent.length - before, ground.recorded.size, ground.sockets()], [2, 0, 0])
})

test.run()
