import * as assert from 'uvu/assert'
import { createWorldPorts } from '#core/room/service/worldPorts'
import { suite } from '#support/runner/suite'

const test = suite('ports of the world')

const after = (...changes: (number | undefined)[]) => {
  const ports = createWorldPorts()
  for (const port of changes) ports.changeTo(port)
  return ports.leadingTo()
}

test('the present port comes first, then the earlier ones, each once', () => {
  for (const [changes, leading] of [
    [[], []],
    [[1], [1]],
    [
      [1, 2],
      [2, 1],
    ],
    [[1, undefined], []],
    [
      [1, undefined, 2],
      [2, 1],
    ],
    [
      [1, 2, 1],
      [1, 2],
    ],
    [[1, undefined, 1], [1]],
    [
      [1, 2, 3, 2],
      [2, 3, 1],
    ],
  ] as const)
    assert.equal(after(...changes), leading, JSON.stringify(changes))
})

test('eight earlier ports are kept', () => {
  assert.equal(after(...Array.from({ length: 20 }, (_, at) => at + 1)), [20, 19, 18, 17, 16, 15, 14, 13, 12])
})

test.run()
