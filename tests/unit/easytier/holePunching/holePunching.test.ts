import * as assert from 'uvu/assert'
import { suite } from '#support/runner/suite'
import { openGround } from './ground'

const test = suite('easytier: hole punching with few STUN servers')

test('one STUN server is enough for cones: an unknown type counts as a cone', async () => {
  const ground = await openGround(1)
  const changes = { stunServers: ['8.8.8.8:3478'] }
  const first = await ground.open({ nat: 'cone', isCrowded: true }, changes)
  await ground.clock.advance(2000)
  const second = await ground.open({ nat: 'cone', isCrowded: true }, changes)
  const took = await ground.untilDirect(second, first, 5000)
  assert.ok(took !== undefined && took < 1500, `${took}`)
  await ground.close()
})

test('without STUN servers nothing is punched', async () => {
  const ground = await openGround(1)
  const first = await ground.open({ nat: 'cone', isCrowded: true }, { stunServers: [] })
  const second = await ground.open({ nat: 'cone', isCrowded: true }, { stunServers: [] })
  assert.is(await ground.untilDirect(second, first, 10_000), undefined)
  assert.is([...first.sent, ...second.sent].filter(({ isPunch }) => isPunch).length, 0)
  await ground.close()
})

test.run()
