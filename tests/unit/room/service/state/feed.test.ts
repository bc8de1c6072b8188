import { createFeed, type FeedMessage } from '#core/room/service/state/feed'
import { assert, suite } from '../../../../support/runner/suite'

const test = suite('the feed’s memory')

const indexes = (messages: readonly FeedMessage[] | undefined) => messages?.map(({ index }) => index)

const LINE = { type: 'log', level: 'info', message: 'x', timestamp: '' } as const

function filled(count: number) {
  const feed = createFeed('run')
  for (let number = 0; number < count; number++) feed.publish(LINE)
  return feed
}

test('each message has the next index, from 1 on', () => {
  const feed = createFeed('run')
  assert.is(feed.index(), 0)
  assert.is(feed.publish({ type: 'profiles', profiles: [] }), 1)
  assert.is(feed.publish({ type: 'state', state: 'waiting', role: null, room: null }), 2)
  assert.is(feed.index(), 2)
})

test('what came after an index is told, as long as all of it is there', () => {
  const feed = filled(3)
  assert.equal(indexes(feed.since(0)), [1, 2, 3])
  assert.equal(indexes(feed.since(2)), [3])
  assert.equal(indexes(feed.since(3)), [])
  assert.equal([feed.since(4), feed.since(-1)], [undefined, undefined])
  assert.equal(createFeed('run').since(0), [])
})

test('a thousand messages are kept, and not one more', () => {
  assert.is(filled(1000).since(0)?.length, 1000)
  const feed = filled(1001)
  assert.is(feed.since(0), undefined)
  assert.equal([feed.since(1)?.at(0)?.index, feed.since(1)?.length], [2, 1000])
})

test('of lists of players only the last one is kept, since it says all', () => {
  const feed = filled(2)
  for (let number = 0; number < 5000; number++) feed.publish({ type: 'profiles', profiles: [] })
  feed.publish(LINE)
  assert.equal(indexes(feed.since(0)), [1, 2, 5002, 5003])
  assert.equal(indexes(feed.since(5001)), [5002, 5003])
  assert.equal(indexes(feed.since(5002)), [5003])
})

test('an index before a message that has fallen out cannot be resumed, whatever lists were replaced', () => {
  const feed = filled(500)
  feed.publish({ type: 'profiles', profiles: [] })
  for (let number = 0; number < 600; number++) feed.publish(LINE)
  feed.publish({ type: 'profiles', profiles: [] })
  const index = feed.index()
  assert.is(feed.since(99), undefined)
  assert.is(feed.since(index - 1001)?.length, 1000)
})

test('listeners hear what comes while they are there', () => {
  const feed = filled(2)
  const heard: FeedMessage[] = []
  const takeOff = feed.subscribe((message) => heard.push(message))
  feed.publish({ type: 'profiles', profiles: [] })
  takeOff()
  takeOff()
  feed.publish({ type: 'profiles', profiles: [] })
  assert.equal(indexes(heard), [3])
})

test.run()
