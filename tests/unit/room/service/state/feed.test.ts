import type { Profile } from '@lantern-room/protocol'
import { createRoomLog } from '#internal/room/service/log/roomLog'
import { createFeed, MAX_PER_SECOND } from '#internal/room/service/state/feed'
import type { FeedMessage } from '#internal/room/service/state/feedMessages'
import { createRoomState } from '#internal/room/service/state/roomState'
import { createFakeClock } from '../../../../support/network/fakeClock'
import { assert, suite } from '../../../../support/runner/suite'
import { silentLog } from '../../../../support/values/testLog'

const test = suite('the pace of the feed')

function start() {
  const clock = createFakeClock()
  const feed = createFeed('run', clock)
  const told: { readonly message: FeedMessage; readonly at: number }[] = []
  feed.subscribe((message) => told.push({ message, at: clock.now() }))
  return { clock, feed, told }
}

const LINE = { type: 'log', level: 'info', message: 'x', timestamp: '' } as const

test('a change of the state begins anew', () => {
  const { feed } = start()
  for (let count = 0; count < 9; count += 1) feed.publish(LINE)
  assert.ok(feed.wait(1) > 0)
  feed.publish({ type: 'state', state: 'waiting', role: null, room: null })
  assert.is(feed.wait(MAX_PER_SECOND), 0)
})

test('whatever members do, no second has more than five messages, and the last of each kind is told', async () => {
  const { clock, feed, told } = start()
  const stopping = new AbortController()
  const silent = silentLog()
  const log = createRoomLog({ sink: silent, feed, clock, stopping: stopping.signal })
  const roomState = createRoomState({ feed, clock })
  roomState.transition({ stage: 'Host_Running', role: 'host' })
  await clock.advance(2000)
  told.length = 0
  let players: readonly Profile[] = []
  for (let change = 0; change < 2000; change += 1) {
    players = [{ name: `n${change}`, machineId: 'b', vendor: '', kind: 'GUEST' }]
    roomState.update({ players })
    roomState.update({ guests: [{ id: `g${change}`, name: '', vendor: '', state: 'waiting' }] })
    roomState.update({ gamePort: 1 + change })
    if (change % 100 === 0) log.warn('too much', { code: 'over-share', change })
    log.info(`line ${change}`)
    await clock.advance(7)
    if (change % 40 > 0) continue
    await clock.advance(1500)
  }
  await clock.advance(60_000)
  const times = told.map(({ at }) => at)
  const busiest = Math.max(
    ...times.map((from) => times.filter((at) => at >= from && at < from + 1000).length),
  )
  assert.is(busiest, MAX_PER_SECOND)
  const last = (type: FeedMessage['type']) => told.findLast(({ message }) => message.type === type)?.message
  assert.equal(last('profiles'), { type: 'profiles', profiles: players, index: last('profiles')?.index })
  const status = last('status')
  assert.is(status?.type === 'status' && status.gamePort, 2000)
  stopping.abort()
  assert.is(clock.timers, 0)
})

test.run()
