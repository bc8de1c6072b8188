import { findNatPmpRouter, removeByNatPmp } from '#internal/routers/natPmpRouter'
import { settle } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { createRouterGround, PMP, pmpRouter } from './routerGround'

const test = suite('a router by NAT-PMP')

const never = new AbortController().signal
const isQuestion = (bytes: Uint8Array) => bytes.length === 2
const outcomeOf = (finding: Promise<unknown>) => finding.then(() => 'found').catch(() => 'failed')

test('it tells its address, opens a port and closes it again', async () => {
  const ground = createRouterGround({ datagram: pmpRouter('20.0.0.1') })
  const router = await findNatPmpRouter(ground, never)
  const mapping = await router.map('udp', 4000, 4001, never)
  assert.equal(mapping, {
    method: 'nat-pmp',
    router: '192.168.1.1',
    transport: 'udp',
    localPort: 4000,
    external: { address: '20.0.0.1', port: 4001 },
  })
  await removeByNatPmp(ground, mapping, never)
  const [last] = ground.sent.at(-1) ?? []
  assert.equal(last, Uint8Array.of(0, 1, 0, 0, 0x0f, 0xa0, 0, 0, 0, 0, 0, 0))
  assert.equal([ground.sockets(), ground.clock.timers], [0, 0])
})

test('a question is repeated until it is answered or given up', async () => {
  const ground = createRouterGround()
  const stop = new AbortController()
  const finding = outcomeOf(findNatPmpRouter(ground, stop.signal))
  await settle()
  await ground.clock.advance(500)
  const questions = ground.sent.map(([bytes]) => [...bytes])
  assert.equal(questions, Array(3).fill([0, 0]))
  stop.abort(new Error('late'))
  assert.equal([await finding, ground.sockets(), ground.clock.timers], ['failed', 0, 0])
})

test('answers of others are not taken, a refusal is', async () => {
  const elsewhere = createRouterGround({
    datagram: (bytes, to) =>
      pmpRouter('20.0.0.1')(bytes, to).map(
        ([answer]) => [answer, { ...PMP, address: '192.168.1.66' }] as const,
      ),
  })
  const stop = new AbortController()
  const finding = outcomeOf(findNatPmpRouter(elsewhere, stop.signal))
  await settle()
  stop.abort(new Error('late'))
  assert.is(await finding, 'failed')
  const refusing = createRouterGround({ datagram: () => [[Uint8Array.of(0, 128, 0, 2, 0, 0, 0, 1), PMP]] })
  assert.is(await outcomeOf(findNatPmpRouter(refusing, never)), 'failed')
})

test('a refusal is an error, and an answer for another mapping is none', async () => {
  const refusing = createRouterGround({
    datagram: (bytes, to) =>
      isQuestion(bytes) ? pmpRouter('20.0.0.1')(bytes, to) : [[Uint8Array.of(0, 129, 0, 2, 0, 0, 0, 1), PMP]],
  })
  const refused = (await findNatPmpRouter(refusing, never)).map('udp', 4000, 4000, never)
  assert.is(await refused.catch(String), 'Error: the router refuses: 2')
  const foreign = createRouterGround({
    datagram: (bytes, to) =>
      pmpRouter('20.0.0.1')(bytes, to).map(([answer, from]) => [
        Uint8Array.from(answer, (byte, at) => (answer.length === 16 && at === 9 ? byte ^ 1 : byte)),
        from,
      ]),
  })
  const stop = new AbortController()
  const waiting = (await findNatPmpRouter(foreign, never)).map('udp', 4000, 4000, stop.signal)
  await foreign.clock.advance(250)
  stop.abort(new Error('late'))
  assert.is(await waiting.catch(String), 'Error: late')
})

test.run()
