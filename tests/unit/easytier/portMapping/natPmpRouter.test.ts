import { findNatPmpRouter, removeByNatPmp } from '#internal/easytier/portMapping/natPmpRouter'
import { settle } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { createRouterGround, NONCE, PMP, pcpRouter, pmpRouter } from './routerGround'

const test = suite('a router by NAT-PMP and PCP')

const never = new AbortController().signal
const isAnnouncement = (bytes: Uint8Array) => bytes[1] === 0
const outcomeOf = (finding: Promise<unknown>) => finding.then(() => 'found').catch(() => 'failed')

test('it tells its address, opens a port and closes it again', async () => {
  const ground = createRouterGround({ datagram: pmpRouter('20.0.0.1') })
  const router = await findNatPmpRouter(ground, never)
  const mapping = await router.map('udp', 4000, 4001, never)
  assert.equal(mapping, {
    method: 'nat-pmp',
    router: '192.168.1.1',
    service: '',
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
  const versions = ground.sent.map(([bytes]) => bytes[0])
  assert.equal(versions, [2, 2, 0, 2, 0])
  stop.abort(new Error('late'))
  assert.equal([await finding, ground.sockets(), ground.clock.timers], ['failed', 0, 0])
})

test('a router that speaks PCP is asked by that; one without a word for PCP gets NAT-PMP, too', async () => {
  const both = createRouterGround({
    datagram: (bytes, to) => (bytes[0] === 2 ? pcpRouter : pmpRouter)('20.0.0.1')(bytes, to),
  })
  assert.equal([(await findNatPmpRouter(both, never)).method, both.sent.length], ['pcp', 1])
  const old = createRouterGround({
    datagram: (bytes, to) => (bytes[0] === 2 ? [] : pmpRouter('20.0.0.1')(bytes, to)),
  })
  const finding = findNatPmpRouter(old, never)
  await settle()
  await old.clock.advance(250)
  assert.is((await finding).method, 'nat-pmp')
  const unknown = { ...both, routers: { ...both.routers, localAddress: () => undefined } }
  assert.is((await findNatPmpRouter(unknown, never)).method, 'nat-pmp')
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

test('by PCP it opens a port under our nonce, and closes the port again', async () => {
  const ground = createRouterGround({ datagram: pcpRouter('20.0.0.1') })
  const router = await findNatPmpRouter(ground, never)
  const mapping = await router.map('tcp', 4000, 4001, never)
  assert.equal(mapping, {
    method: 'pcp',
    router: PMP.address,
    service: NONCE,
    transport: 'tcp',
    localPort: 4000,
    external: { address: '20.0.0.1', port: 4001 },
  })
  await removeByNatPmp(ground, mapping, never)
  const [removal] = ground.sent.at(-1) ?? []
  assert.equal(removal?.subarray(4, 8), new Uint8Array(4))
  assert.equal([ground.sockets(), ground.clock.timers], [0, 0])
})

test('by PCP a refusal is an error, and an answer for another mapping is none', async () => {
  const refusing = createRouterGround({
    datagram: (bytes, to) =>
      isAnnouncement(bytes)
        ? pcpRouter('20.0.0.1')(bytes, to)
        : [[Uint8Array.from(bytes, (byte, at) => [2, 129, 0, 8][at] ?? byte), PMP]],
  })
  const refused = (await findNatPmpRouter(refusing, never)).map('udp', 4000, 4000, never)
  assert.is(await refused.catch(String), 'Error: the router refuses: 8')
  const foreign = createRouterGround({
    datagram: (bytes, to) =>
      pcpRouter('20.0.0.1')(bytes, to).map(([answer, from]) => [
        Uint8Array.from(answer, (byte, at) => (at === 24 ? byte ^ 1 : byte)),
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
