import { removeLeftovers } from '#core/easytier/portMapping/removeMappings'
import { assert, suite } from '#support/runner/suite'
import { createRouterGround, pmpRouter } from './routerGround'

const test = suite('ports that a killed run has left open')

const LEFT = {
  method: 'nat-pmp',
  router: '192.168.1.1',
  service: '',
  transport: 'udp',
  localPort: 4000,
  external: { address: '20.0.0.1', port: 4000 },
} as const

test('they are closed and forgotten', async () => {
  const ground = createRouterGround({ datagram: pmpRouter('20.0.0.1') })
  await ground.routers.record.add(LEFT)
  await removeLeftovers(ground)
  const sizes = ground.sent.map(([bytes]) => bytes.length)
  assert.equal(sizes, [12])
  assert.equal([ground.recorded.size, ground.sockets(), ground.clock.timers], [0, 0, 0])
})

test.run()
