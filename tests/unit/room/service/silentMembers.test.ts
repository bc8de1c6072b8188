import { createSilentMembers } from '#core/room/service/silentMembers'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'

const test = suite('members that end without a word', { setUp: start })

function start() {
  const clock = createFakeClock()
  const stop = new AbortController()
  const connected = new Set<string>()
  const back = new Set<string>()
  const gone: string[] = []
  const onExpired = createSilentMembers({
    isBack: (memberId) => back.has(memberId),
    isConnected: (memberId) => connected.has(memberId),
    onGone: (memberId) => gone.push(memberId),
    clock,
    signal: stop.signal,
  })
  return { clock, stop, connected, back, gone, onExpired }
}

test('one that is not in the network any more is found at once', ({ gone, onExpired }) => {
  onExpired('one')
  assert.equal(gone, ['one'])
})

test('one that is still there is found when it is not', async ({ clock, connected, gone, onExpired }) => {
  connected.add('one')
  onExpired('one')
  onExpired('one')
  await clock.advance(30_000)
  assert.equal(gone, [])
  connected.delete('one')
  await clock.advance(1000)
  assert.equal(gone, ['one'])
  await clock.advance(10_000)
  assert.equal(gone, ['one'])
})

test('one whose player is back is left alone', async ({ clock, connected, back, gone, onExpired }) => {
  connected.add('one')
  onExpired('one')
  back.add('one')
  connected.delete('one')
  await clock.advance(5000)
  assert.equal(gone, [])
})

test('nothing is looked for once the room is closed', async ({ clock, stop, connected, gone, onExpired }) => {
  connected.add('one')
  onExpired('one')
  stop.abort()
  connected.delete('one')
  assert.is(clock.timers, 0)
  onExpired('two')
  assert.equal(gone, [])
})
