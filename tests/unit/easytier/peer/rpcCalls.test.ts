import { type CallResult, type OnCallFailed, RpcCalls, type RpcHandler } from '#core/easytier/peer/rpcCalls'
import { RpcRefusal } from '#core/easytier/rpc/rpcMessage'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: calls between two peers')

const common = { networkName: 'net', random32: () => 7 }
const NOTHING = new Uint8Array(0)

/** Two peers whose packets arrive at once. */
function connect(handler?: RpcHandler, onFailed?: OnCallFailed) {
  const clock = createFakeClock()
  const caller = new RpcCalls({
    ...common,
    clock,
    ownId: 1,
    send(_to, _isRequest, payload) {
      server.receive(payload, 1)
      return true
    },
  })
  const server = new RpcCalls({
    ...common,
    clock,
    ownId: 2,
    ...(onFailed && { onFailed }),
    send(_to, _isRequest, payload) {
      caller.receive(payload, 2)
      return true
    },
  })
  if (handler) server.handle('getIpList', handler)
  return { caller, clock }
}

test('an error of a handler is reported here, and its text never reaches the caller', () => {
  for (const [error, text] of [
    [new Error('/home/alice/secret'), 'the call failed'],
    [new RpcRefusal('too many calls'), 'too many calls'],
  ] as const) {
    const failures: unknown[] = []
    const { caller } = connect(
      () => {
        throw error
      },
      (...failure) => failures.push(failure),
    )
    const results: CallResult[] = []
    caller.call(2, 'getIpList', NOTHING, 1000, (result) => results.push(result))
    const [result] = results
    assert.ok(result?.kind === 'error' && result.error.case === 'executeError')
    assert.is(result.error.value.errorMessage, text)
    assert.equal(failures, [[error, 'getIpList', 1]])
  }
})

test('an answer for a caller that is not known yet waits a second for it, and then is forgotten', async () => {
  const clock = createFakeClock()
  const sent: number[] = []
  let isKnown = false
  const server = new RpcCalls({
    ...common,
    clock,
    ownId: 2,
    send(to) {
      if (isKnown) sent.push(to)
      return isKnown
    },
  })
  server.handle('getIpList', (_request, _from, reply) => reply({ kind: 'response', response: NOTHING }))
  const caller = (peerId: number) =>
    new RpcCalls({
      ...common,
      clock,
      ownId: peerId,
      send(_to, _isRequest, payload) {
        server.receive(payload, peerId)
        return true
      },
    })
  for (const peerId of [11, 12]) {
    caller(peerId).call(2, 'getIpList', NOTHING, 5000, () => {})
    server.reachChanged()
    await clock.advance(600)
  }
  assert.equal(sent, [])
  isKnown = true
  server.reachChanged()
  server.reachChanged()
  assert.equal(sent, [12])
})

test.run()
