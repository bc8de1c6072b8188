import { pcpRouter, removeByPcp } from '#core/easytier/portMapping/natPmpRouter'
import { assert, suite } from '#support/runner/suite'
import { createRouterGround, NONCE, PMP, pcpRouter as speaksPcp } from './routerGround'

const test = suite('a router by PCP')

const never = new AbortController().signal

test('it opens a port under our nonce, and closes the port again', async () => {
  const ground = createRouterGround({ datagram: speaksPcp('20.0.0.1') })
  const router = pcpRouter(ground, PMP.address, '192.168.1.7')
  const mapping = await router.map('tcp', 4000, 4001, never)
  assert.equal(mapping, {
    method: 'pcp',
    router: PMP.address,
    service: NONCE,
    transport: 'tcp',
    localPort: 4000,
    external: { address: '20.0.0.1', port: 4001 },
  })
  await removeByPcp(ground, mapping, never)
  const [removal] = ground.sent.at(-1) ?? []
  assert.equal(removal?.subarray(4, 8), new Uint8Array(4))
  assert.equal([ground.sockets(), ground.clock.timers], [0, 0])
})

test('a refusal is an error, and an answer for another mapping is none', async () => {
  const refusing = createRouterGround({
    datagram: (bytes) => [[Uint8Array.from(bytes, (byte, at) => [2, 129, 0, 8][at] ?? byte), PMP]],
  })
  const refused = pcpRouter(refusing, PMP.address, '192.168.1.7').map('udp', 4000, 4000, never)
  assert.is(await refused.catch(String), 'Error: the router refuses: 8')
  const foreign = createRouterGround({
    datagram: (bytes, to) =>
      speaksPcp('20.0.0.1')(bytes, to).map(([answer, from]) => [
        Uint8Array.from(answer, (byte, at) => (at === 24 ? byte ^ 1 : byte)),
        from,
      ]),
  })
  const stop = new AbortController()
  const waiting = pcpRouter(foreign, PMP.address, '192.168.1.7').map('udp', 4000, 4000, stop.signal)
  await foreign.clock.advance(250)
  stop.abort(new Error('late'))
  assert.is(await waiting.catch(String), 'Error: late')
})

test.run()
