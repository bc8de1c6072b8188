import { createDeferred } from '#core/async/deferred'
import { createMemberStreams } from '#core/room/service/streams/memberStreams'
import { settle } from '../../../../support/network/fakeClock'
import { assert, suite } from '../../../../support/runner/suite'

const test = suite('the streams of members')

test('closes all that a member has open, once each, and nothing of others', async () => {
  const streams = createMemberStreams()
  const closed: string[] = []
  const keep = (member: string, name: string) => {
    const end = createDeferred<void>()
    const close = () => {
      closed.push(name)
      end.resolve()
    }
    streams.add(member, close, end.promise)
    return end
  }
  keep('1', 'a')
  keep('1', 'b')
  keep('2', 'c')
  keep('1', 'gone').resolve()
  keep('3', 'gone').resolve()
  await settle()
  const members = () => ['1', '2', '3'].filter(streams.has)
  assert.equal(members(), ['1', '2'])
  assert.equal(streams.members(), ['1', '2'])
  streams.closeAll('1')
  assert.equal(closed, ['a', 'b'])
  await settle()
  assert.equal(members(), ['2'])
  streams.closeAll('1')
  streams.closeAll('nobody')
  assert.equal(closed, ['a', 'b'])
})

test.run()
