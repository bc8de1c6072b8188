import { assert, suite } from '#support/runner/suite'
import { openGround, type PlayerHouse } from './ground'

const test = suite('easytier: hole punching with few STUN servers', {
  setUp: () => openGround(1),
  tearDown: (ground) => ground.close(),
})

const crowded: PlayerHouse = { nat: 'cone', isCrowded: true }

test('one STUN server is enough for cones: an unknown type counts as a cone', async (ground) => {
  const changes = { stunServers: ['8.8.8.1:3478'] }
  const first = await ground.open(crowded, changes)
  await ground.clock.advance(2000)
  const second = await ground.open(crowded, changes)
  const took = await ground.untilDirect(second, first, 5000)
  assert.ok(took !== undefined && took < 1500, `${took}`)
})

test('without STUN servers nothing is punched', async (ground) => {
  const first = await ground.open(crowded, { stunServers: [] })
  const second = await ground.open(crowded, { stunServers: [] })
  assert.is(await ground.untilDirect(second, first, 10_000), undefined)
  assert.is([...first.sent, ...second.sent].filter(({ isPunch }) => isPunch).length, 0)
})

test.run()
