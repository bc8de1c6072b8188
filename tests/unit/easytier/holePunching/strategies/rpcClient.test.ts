import { CallRefused, createPunchRpcClient } from '#core/easytier/holePunching/strategies/rpcClient'
import type { Peer } from '#core/easytier/peer/peer'
import type { CallResult } from '#core/easytier/peer/rpcCalls'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { each } from '#support/values/each'

const test = suite('easytier: calls for hole punching', { setUp })

type Call = { readonly peerId: number; readonly method: string; readonly done: (result: CallResult) => void }

function setUp() {
  const clock = createFakeClock()
  const calls: Call[] = []
  const call: Peer['call'] = (peerId, method, _request, _timeoutMs, done) =>
    void calls.push({ peerId, method, done })
  return { clock, calls, client: createPunchRpcClient(clock, { call }) }
}

const request = Uint8Array.of(1)
const { signal } = new AbortController()
const failureOf = (work: Promise<unknown>) => work.then(String, (error: unknown) => error)

test('an answer resolves a call', async ({ calls, client }) => {
  const answer = client.call(2, 'selectPunchListener', request, 1000, signal)
  calls[0]?.done({ kind: 'answer', response: Uint8Array.of(7) })
  assert.equal(await answer, Uint8Array.of(7))
})

test('a refusal tells whether the member is busy, or will never know the call', async ({ calls, client }) => {
  for (const [error, isBusy, isFinal] of [
    [{ kind: 'failed', text: 'sym punch lock is busy' }, true, false],
    [{ kind: 'failed', text: 'no' }, false, false],
    [{ kind: 'unknown-service', service: 'X' }, false, true],
    [{ kind: 'unknown-method', service: 'X', method: 1 }, false, true],
    [{ kind: 'bad-request' }, false, false],
  ] as const) {
    const failure = failureOf(client.call(2, 'selectPunchListener', request, 1000, signal))
    calls.at(-1)?.done({ kind: 'error', error })
    const refused = await failure
    assert.ok(refused instanceof CallRefused)
    assert.equal([refused.isBusy, refused.isFinal], [isBusy, isFinal], JSON.stringify(error))
  }
})

test('silence and an abort reject a call', async ({ calls, client }) => {
  const silent = failureOf(client.call(2, 'selectPunchListener', request, 1000, signal))
  calls[0]?.done({ kind: 'silence' })
  assert.is(String(await silent), 'Error: no answer to selectPunchListener')
  const controller = new AbortController()
  const aborted = failureOf(client.call(2, 'selectPunchListener', request, 1000, controller.signal))
  controller.abort(new Error('stopped'))
  assert.is(String(await aborted), 'Error: stopped')
  const late = failureOf(client.call(2, 'selectPunchListener', request, 1000, controller.signal))
  assert.is(String(await late), 'Error: stopped')
  assert.is(calls.length, 2, 'nothing is sent after the abort')
})

test('a member is ready after its first answer of any kind, and is not asked again', async () => {
  const { clock, calls, client } = setUp()
  const ready = client.ready(2, signal)
  await clock.advance(600)
  assert.equal(each(calls, 'method'), ['getGlobalPeerMap', 'getGlobalPeerMap', 'getGlobalPeerMap'])
  calls[0]?.done({ kind: 'silence' })
  calls[1]?.done({ kind: 'error', error: { kind: 'bad-request' } })
  await ready
  await clock.advance(0)
  assert.is(clock.timers, 0)
  await client.ready(2, signal)
  assert.is(calls.length, 3)
  client.forget((peerId) => peerId !== 2)
  const again = client.ready(2, signal)
  calls.at(-1)?.done({ kind: 'answer', response: request })
  await again
  assert.is(calls.length, 4)
})

test('a member that does not answer in 11 s is given up', async ({ clock, calls, client }) => {
  const failure = failureOf(client.ready(2, signal))
  await clock.advance(11_000)
  assert.equal([String(await failure), calls.length], ['Error: the member does not answer', 44])
  assert.is(clock.timers, 0)
})

test.run()
