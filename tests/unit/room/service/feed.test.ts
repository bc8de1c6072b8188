import * as assert from 'uvu/assert'
import { createFeed, type FeedMessage } from '#core/room/service/feed'
import { suite } from '#support/runner/suite'

const test = suite('the feed’s memory')

const indexes = (messages: readonly FeedMessage[] | undefined) => messages?.map(({ index }) => index)

function filled(count: number) {
  const feed = createFeed()
  for (let number = 0; number < count; number++) feed.publish({ type: 'profiles', profiles: [] })
  return feed
}

test('each message has the next index, from 1 on', () => {
  const feed = createFeed()
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
  assert.equal(createFeed().since(0), [])
})

test('a thousand messages are kept, and not one more', () => {
  assert.is(filled(1000).since(0)?.length, 1000)
  const feed = filled(1001)
  assert.is(feed.since(0), undefined)
  assert.equal([feed.since(1)?.at(0)?.index, feed.since(1)?.length], [2, 1000])
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
