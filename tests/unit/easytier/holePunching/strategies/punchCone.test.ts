import { selectListener } from '#core/easytier/holePunching/strategies/punchCone'
import { createPunchRpcClient } from '#core/easytier/holePunching/strategies/rpcClient'
import { createRpcCalls } from '#core/easytier/peer/rpcCalls'
import { rpcMethods } from '#core/easytier/wire/messages'
import { type Endpoint, toSocketAddr } from '#core/easytier/wire/socketAddress'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: a listener of a slow member')

const LISTENER = { address: '20.0.0.21', port: 40_000 }
const [US, MEMBER] = [1, 2]

/** Our call of `selectPunchListener`, to a member that answers after so long. */
function callSlowMember(answersAfterMs: number) {
  const clock = createFakeClock()
  const common = { networkName: 'room', clock, random32: () => 7 }
  const ours = createRpcCalls({
    ...common,
    ownId: US,
    send: (_, __, payload) => deliver(() => member.receive(payload, US)),
  })
  const member = createRpcCalls({
    ...common,
    ownId: MEMBER,
    send: (_, __, payload) => deliver(() => ours.receive(payload, MEMBER)),
  })
  member.handle('selectPunchListener', (_request, _from, reply) => {
    const listenerMappedAddr = toSocketAddr(LISTENER)
    const response = rpcMethods.selectPunchListener.response.encode({ listenerMappedAddr })
    clock.after(answersAfterMs, () => reply({ kind: 'response', response }))
  })
  const deliver = (act: () => void) => {
    clock.after(20, act)
    return true
  }
  const rpcClient = createPunchRpcClient(clock, ours)
  const outcome: { listener?: Endpoint; problem?: string } = {}
  selectListener({ rpcClient }, MEMBER, false, new AbortController().signal).then(
    (listener) => Object.assign(outcome, { listener }),
    (error: unknown) => Object.assign(outcome, { problem: String(error) }),
  )
  return { clock, outcome }
}

test('waits for a member that first looks for a router with UPnP, then with NAT-PMP', async () => {
  // UPnP takes 1 s and each of two NAT-PMP tries another, more on a busy machine.
  for (const ms of [0, 3100, 4500, 6000]) {
    const { clock, outcome } = callSlowMember(ms)
    await clock.advance(ms + 50)
    assert.equal(outcome, { listener: LISTENER }, `${ms} ms`)
    assert.is(clock.timers, 0)
  }
})

test('gives up on a member that never answers', async () => {
  const { clock, outcome } = callSlowMember(60_000)
  await clock.advance(12_000)
  assert.match(outcome.problem ?? '', 'no answer to selectPunchListener')
})

test.run()
