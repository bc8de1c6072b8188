import { type CallResult, RpcCalls } from '#internal/easytier/peer/rpcCalls'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: calls between two peers')

const clock = createFakeClock()
const common = { networkName: 'net', random32: () => 7, clock }
const NOTHING = new Uint8Array(0)

test('an error of a handler is reported here, and its text never reaches the caller', () => {
  const failures: unknown[] = []
  const results: CallResult[] = []
  const server: RpcCalls = new RpcCalls({
    ...common,
    ownId: 2,
    onFailed: (...failure) => failures.push(failure),
    send(_to, _isRequest, payload) {
      caller.receive(payload, 2)
      return true
    },
  })
  const caller = callerOf(1, server)
  const error = new Error('/home/alice/secret')
  server.handle('getIpList', () => {
    throw error
  })
  caller.call(2, 'getIpList', NOTHING, 1000, (result) => results.push(result))
  const [result] = results
  assert.ok(result?.kind === 'error' && result.error.case === 'executeError')
  assert.is(result.error.value.errorMessage, 'the call failed')
  assert.equal(failures, [[error, 'getIpList', 1]])
})

test('an answer for a caller that is not known yet waits a second for it, and then is forgotten', async () => {
  const sent: number[] = []
  let isKnown = false
  const server = new RpcCalls({
    ...common,
    ownId: 2,
    send(to) {
      if (isKnown) sent.push(to)
      return isKnown
    },
  })
  server.handle('getIpList', (_request, _from, reply) => reply({ kind: 'response', response: NOTHING }))
  for (const peerId of [11, 12]) {
    callerOf(peerId, server).call(2, 'getIpList', NOTHING, 5000, () => {})
    server.reachChanged()
    await clock.advance(600)
  }
  assert.equal(sent, [])
  isKnown = true
  server.reachChanged()
  server.reachChanged()
  assert.equal(sent, [12])
})

/** A peer whose packets arrive at once. */
function callerOf(ownId: number, server: RpcCalls): RpcCalls {
  return new RpcCalls({
    ...common,
    ownId,
    send(_to, _isRequest, payload) {
      server.receive(payload, ownId)
      return true
    },
  })
}

test.run()
