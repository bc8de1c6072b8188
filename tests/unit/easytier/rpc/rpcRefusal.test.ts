import * as assert from 'uvu/assert'
import { RpcRefusal, rpcProblemOf } from '#core/easytier/rpc/rpcRefusal'
import { suite } from '#support/runner/suite'

const test = suite('easytier: why a call failed, as callers learn it')

test('a refusal has a text for the caller', () => {
  assert.equal(rpcProblemOf(new RpcRefusal('too many calls')), { kind: 'failed', text: 'too many calls' })
})

test('the text of any other failure stays here', () => {
  const secret = '/home/alice/secret'
  for (const error of [
    new Error(secret),
    new Error('open', { cause: new RpcRefusal(secret) }),
    new TypeError(secret),
    secret,
    { message: secret },
    undefined,
  ])
    assert.equal(rpcProblemOf(error), { kind: 'failed', text: 'the call failed' })
})

test.run()
