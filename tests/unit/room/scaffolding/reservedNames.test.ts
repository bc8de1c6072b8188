import { createReservedNames, RESERVED_MS } from '#core/room/scaffolding/reservedNames'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { STEVE } from './hosted'

const test = suite('reserved names')

const id = STEVE.machineId

test('a name is kept for its member for a minute after its last ping', async () => {
  const clock = createFakeClock()
  const names = createReservedNames(clock)
  names.renew(STEVE, 'steve')
  await clock.advance(RESERVED_MS - 1)
  names.renew({ ...STEVE, name: 'Steve 2' }, 'steve')
  await clock.advance(RESERVED_MS - 1)
  names.renew({ ...STEVE, name: 'Thief' }, 'thief')
  assert.equal([names.get(id)?.player.name, names.get(id)?.memberId], ['Steve 2', 'steve'])
  await clock.advance(1)
  assert.is(names.get(id), undefined)
  names.renew({ ...STEVE, name: 'Thief' }, 'thief')
  assert.is(names.get(id)?.memberId, 'thief')
  names.free(id)
  assert.is(names.get(id), undefined)
})

test('of many the oldest is forgotten', () => {
  const names = createReservedNames(createFakeClock())
  for (let count = 0; count <= 256; count += 1) names.renew({ ...STEVE, machineId: `${count}` }, 'one')
  const kept = ['0', '1', '256'].filter((one) => names.get(one))
  assert.equal(kept, ['1', '256'])
})

test.run()
