import { assert, suite } from '#support/runner/suite'
import { readPort } from '../../../../../../local-runner/ui/room/state/records'

const test = suite('a typed port')

test('whole numbers from 1 to 65535 are ports, nothing else is', () => {
  assert.equal(['1', ' 25565 ', '65535'].map(readPort), [1, 25_565, 65_535])
  assert.equal(
    ['', '0', '65536', '-1', '1.5', '1e3', 'x', '123456'].filter((text) => readPort(text) !== undefined),
    [],
  )
})

test.run()
