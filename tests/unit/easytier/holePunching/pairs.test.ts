import { assert, suite } from '#support/runner/suite'
import { openGround, openPair, type PlayerHouse } from './ground'

const test = suite('easytier: two players behind routers')

const cone: PlayerHouse = { nat: 'cone' }
const symmetric: PlayerHouse = { nat: 'symmetric' }
const crowded: PlayerHouse = { nat: 'cone', isCrowded: true }
const closed: PlayerHouse = { nat: 'cone', blocksUdp: true }
const RUNS = 7
const LIMIT_MS = 30_000

for (const [name, houses, carrier, goalMs] of [
  ['cone and cone', [cone, cone], 'udp', 1000],
  ['cones that change the ports', [crowded, crowded], 'udp', 1000],
  ['a cone, and a symmetric newcomer', [cone, symmetric], 'udp', 2000],
  ['symmetric, and a newcomer behind a cone', [symmetric, cone], 'udp', 2000],
  ['UDP blocked at the newcomer’s', [cone, closed], 'tcp', 3000],
  ['UDP blocked at the other one’s', [closed, cone], 'tcp', 3000],
  ['UDP blocked at both', [closed, closed], 'tcp', 3000],
] as const) {
  test(`${name}: they are connected directly by ${carrier}, in time`, async () => {
    const times: number[] = []
    for (let seed = 1; seed <= RUNS; seed += 1) {
      const ground = await openGround(seed)
      const [first, second] = await openPair(ground, houses, 5000)
      const took = await ground.untilDirect(second, first, LIMIT_MS)
      assert.ok(took !== undefined, `seed ${seed}: never\n${second.messages.join('\n')}`)
      times.push(took)
      assert.is(ground.pathOf(second, first)?.transport, carrier)
      await ground.clock.advance(3000)
      assert.is(ground.pathOf(first, second)?.kind, 'direct')
      await ground.close()
    }
    times.sort((one, other) => one - other)
    const median = times[Math.floor(RUNS / 2)] ?? 0
    assert.ok(median <= goalMs, `median ${median} ms of ${times.join(', ')}`)
  })
}

test('both symmetric: they stay with the shared node, and no attempt is made', async () => {
  const ground = await openGround(1)
  const [first, second] = await openPair(ground, [symmetric, symmetric])
  assert.is(await ground.untilDirect(second, first, LIMIT_MS), undefined)
  assert.is(ground.pathOf(second, first)?.kind, 'relay')
  await ground.close()
})

test.run()
