import * as assert from 'uvu/assert'
import { createPunchRpcClient } from '#core/easytier/holePunching/rpcClient'
import { selectListener } from '#core/easytier/holePunching/strategies/cone'
import { createRpcCalls } from '#core/easytier/peer/rpcCalls'
import { rpcMethods } from '#core/easytier/wire/messages'
import { type Endpoint, toSocketAddr } from '#core/easytier/wire/socketAddress'
import { createFakeClock } from '#support/network/fakeClock'
import { suite } from '#support/runner/suite'

const test = suite('overlay: a member that takes its time')

const LISTENER = { address: '20.0.0.21', port: 40_000 }
const [US, MEMBER] = [1, 2]

/** Our question for a listener, to a member that answers it so late. */
function askSlowOne(answersAfterMs: number) {
  const clock = createFakeClock()
  const common = { networkName: 'room', clock, random32: () => 7 }
  const ours = createRpcCalls({
    ...common,
    ownId: US,
    send: (_, __, payload) => deliver(() => member.receive(payload, US)),
    serve: () => undefined,
  })
  const member = createRpcCalls({
    ...common,
    ownId: MEMBER,
    send: (_, __, payload) => deliver(() => ours.receive(payload, MEMBER)),
    serve(method, _, __, reply) {
      if (method !== 'selectPunchListener') return undefined
      const listenerMappedAddr = toSocketAddr(LISTENER)
      const response = rpcMethods.selectPunchListener.response.encode({ listenerMappedAddr })
      clock.after(answersAfterMs, () => reply({ kind: 'response', response }))
      return 'taken'
    },
  })
  const deliver = (act: () => void) => {
    clock.after(20, act)
    return true
  }
  const asking = createPunchRpcClient(clock, () => ours)
  const outcome: { listener?: Endpoint; problem?: string } = {}
  selectListener({ asking }, MEMBER, false, new AbortController().signal).then(
    (listener) => Object.assign(outcome, { listener }),
    (error: unknown) => Object.assign(outcome, { problem: String(error) }),
  )
  return { clock, outcome }
}

test('one that first looks for a router with UPnP, then with NAT-PMP, is waited for', async () => {
  // A second for the first, and one for each of two tries of the other, on a busy machine.
  for (const ms of [0, 3100, 4500, 6000]) {
    const { clock, outcome } = askSlowOne(ms)
    await clock.advance(ms + 50)
    assert.equal(outcome, { listener: LISTENER }, `${ms} ms`)
    assert.is(clock.timers, 0)
  }
})

test('one that never answers is given up, and asked anew some time', async () => {
  const { clock, outcome } = askSlowOne(60_000)
  await clock.advance(12_000)
  assert.match(outcome.problem ?? '', 'no answer to selectPunchListener')
})

test.run()
