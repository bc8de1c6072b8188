import type { Member, MemberLink } from '#core/room/networkStatus'
import { createSecondHosts } from '#core/room/service/guests/secondHosts'
import { createFakeClock } from '../../../../support/network/fakeClock'
import { assert, suite } from '../../../../support/runner/suite'

const test = suite('room: other hosts with the code of a host', { setUp })

test('a host that answers is one at once, any other after the last trace of an earlier run is gone', async (parts) => {
  const { clock, world, shown } = parts
  world.members = [member('1', true), member('2', true), member('3', false)]
  world.answering = ['2', '3']
  assert.equal(shown(), ['2'])
  world.answering = []
  assert.equal(shown(), ['2'], 'it is not forgotten while it is there')
  await clock.advance(30_000)
  assert.equal(shown(), ['1', '2'])
  world.members = []
  assert.equal(shown(), [])
  world.members = [member('1', true), member('2', true)]
  assert.equal(shown(), [], 'one that comes back is new')
})

test('one that was removed is none', ({ world, shown }) => {
  world.members = [member('2', true)]
  world.answering = ['2']
  world.removed = ['2']
  assert.equal(shown(), [])
})

function member(id: string, isHost: boolean): Member {
  return { id, hostname: '', isHost, address: undefined, path: undefined }
}

function setUp() {
  const clock = createFakeClock()
  const world = { members: [] as Member[], answering: [] as string[], removed: [] as string[] }
  const hosts = createSecondHosts({
    members: () => world.members,
    links: () => world.answering.map((memberId) => ({ memberId, latencyMs: 3 }) as MemberLink),
    isRemoved: (id) => world.removed.includes(id),
    clock,
  })
  return {
    clock,
    world,
    shown() {
      hosts.look()
      return hosts.list().map(({ id }) => id)
    },
  }
}

test.run()
