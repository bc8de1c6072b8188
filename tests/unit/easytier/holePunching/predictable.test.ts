import { natTypes } from '#internal/easytier/nat/natType'
import { assert, suite } from '#support/runner/suite'
import { openGround } from './ground'

const test = suite('easytier: routers whose next port can be predicted')

/** Each new port of a router is the next one. */
function oneAfterTheOther(step: 1 | -1): (house: number) => number {
  const ports = new Map<number, number>()
  return (house) => {
    const port = (ports.get(house) ?? 20_000 + 7000 * house) + step
    ports.set(house, port)
    return (port + 0.5) / 64_512
  }
}

for (const [name, step, type] of [
  ['upwards', 1, natTypes.symmetricEasyIncreasing],
  ['downwards', -1, natTypes.symmetricEasyDecreasing],
] as const) {
  for (const [what, nat, limitMs] of [
    [`both ${name}: they are connected directly`, 'symmetric', 4000],
    [`${name}, and a cone: the first ports that are tried are the right ones`, 'cone', 1000],
  ] as const)
    test(what, async () => {
      const ground = await openGround(1, { random: oneAfterTheOther(step) })
      const first = await ground.open({ nat })
      await ground.clock.advance(2000)
      if (nat === 'symmetric') assert.is(first.peer.natType(), type)
      const second = await ground.open({ nat: 'symmetric' })
      const took = await ground.untilDirect(second, first, 10_000)
      assert.ok(took !== undefined && took < limitMs, `${took} ms\n${second.messages.join('\n')}`)
      await ground.close()
    })
}

test.run()
