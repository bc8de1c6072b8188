import { createDeferred } from '#core/async/deferred'
import { createEmitter } from '#core/async/emitter'
import { createReturningGuest } from '#core/room/network/returningGuest'
import type { NetworkEvent } from '#core/room/networkStatus'
import type { GuestConnection } from '#core/room/roomNetwork'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { hasResolved } from '#support/values/hasResolved'
import { silentLog } from '#support/values/testLog'

const test = suite('room: a guest that is found by the code again')

test('in the network of the code a lost host is waited for, and not searched for', async () => {
  const { clock, first, searches, told } = setUp()
  first.tell({ kind: 'lost' })
  await clock.advance(30_000)
  assert.equal([searches.length, told], [0, ['lost']])
})

test('after a move it is searched for again and again; another run of it takes the place at once', async () => {
  const { clock, guest, first, searches, found, told } = setUp()
  first.hasMoved = true
  first.tell({ kind: 'lost' })
  await clock.advance(0)
  searches[0]?.reject(new Error('nobody there'))
  await clock.advance(2000)
  assert.is(searches.length, 2)
  const next = found('8')
  searches[1]?.resolve(next)
  await clock.advance(0)
  assert.equal([guest.host.member.id, told, first.isClosed], ['8', ['lost', 'back'], true])
  first.tell({ kind: 'lost' })
  next.tell({ kind: 'links' })
  assert.equal(told, ['lost', 'back', 'links'], 'the old one is silent')
  guest.follow?.(Uint8Array.of(1))
  assert.equal([first.followed, next.followed], [0, 1])
})

test('the same host is waited for where its streams are; when it is back there, nothing changes', async () => {
  const { clock, guest, first, searches, found, told } = setUp()
  first.hasMoved = true
  first.tell({ kind: 'lost' })
  await clock.advance(0)
  const same = found('7')
  searches[0]?.resolve(same)
  await clock.advance(9999)
  first.tell({ kind: 'back', isRestarted: false })
  await clock.advance(20_000)
  assert.equal([told, first.isClosed, same.isClosed, searches.length], [['lost', 'back'], false, true, 1])
  first.tell({ kind: 'lost' })
  await clock.advance(0)
  const again = found('7')
  searches[1]?.resolve(again)
  await clock.advance(10_000)
  assert.equal([first.isClosed, again.isClosed], [true, false])
  guest.follow?.(Uint8Array.of(1))
  assert.is(again.followed, 1)
})

test('one that leaves the network of the code while the host is lost begins to search', async () => {
  const { clock, first, searches } = setUp()
  first.tell({ kind: 'lost' })
  first.hasMoved = true
  first.tell({ kind: 'members' })
  first.tell({ kind: 'members' })
  await clock.advance(0)
  assert.is(searches.length, 1)
})

test('its end is that of the network that it is in, and of a search', async () => {
  const { clock, guest, first, searches, stop } = setUp()
  first.hasMoved = true
  first.tell({ kind: 'lost' })
  await clock.advance(0)
  const isClosed = hasResolved(guest.closed)
  stop()
  await clock.advance(0)
  assert.not(isClosed(), 'the search has not ended')
  searches[0]?.reject(new Error('stopped'))
  await clock.advance(0)
  assert.equal([isClosed(), clock.timers], [true, 0])

  const failing = setUp()
  const failure = new Error('the network has failed')
  failing.first.fail(failure)
  assert.is(await failing.guest.closed.catch((error: unknown) => error), failure)
})

function setUp() {
  const clock = createFakeClock()
  const stopping = new AbortController()
  const searches: { resolve(session: ReturnType<typeof found>): void; reject(error: unknown): void }[] = []
  const told: string[] = []
  const first = found('7', stopping.signal)
  const guest = createReturningGuest({
    first: first.session,
    async search(signal) {
      const search = createDeferred<ReturnType<typeof found>>()
      searches.push(search)
      const { session, endBy } = await search.promise
      endBy(signal)
      return session
    },
    clock,
    log: silentLog(),
    signal: stopping.signal,
  })
  guest.onEvent(({ kind }) => told.push(kind))
  return { clock, guest, first, searches, told, found, stop: () => stopping.abort(new Error('left')) }
}

/** A session with the host of this id. */
function found(hostId: string, signal?: AbortSignal) {
  const events = createEmitter<NetworkEvent>()
  const ended = createDeferred<void>()
  ended.promise.catch(() => undefined)
  const endBy = (by: AbortSignal) =>
    by.addEventListener('abort', () => {
      shown.isClosed = true
      ended.resolve()
    })
  const connection = {
    host: { member: { id: hostId } },
    onEvent: events.subscribe,
    closed: ended.promise,
  } as unknown as GuestConnection
  const shown = {
    hasMoved: false,
    isClosed: false,
    followed: 0,
    tell: events.emit,
    fail: ended.reject,
    endBy,
    session: {
      connection,
      hasMoved: () => shown.hasMoved,
      follow() {
        shown.followed += 1
      },
      async close() {
        shown.isClosed = true
        ended.resolve()
      },
    },
  }
  if (signal) endBy(signal)
  return shown
}

test.run()
