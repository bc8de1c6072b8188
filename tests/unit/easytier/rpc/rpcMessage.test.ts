import {
  encodeAnswerBody,
  encodeCallBody,
  type RpcAnswer,
  type RpcMessage,
  type RpcProblem,
  RpcRefusal,
  readAnswer,
  readCall,
  rpcProblemOf,
} from '#core/easytier/rpc/rpcMessage'
import { rpcResponse } from '#core/easytier/wire/messages'
import { unhex } from '#support/network/easytierVectors'
import { assert, suite } from '#support/runner/suite'

const test = suite('overlay: calls and answers')

const method = { domain: 'net', service: 'PeerCenterRpc', method: 2 }
const call: RpcMessage = {
  from: 1,
  to: 2,
  transactionId: '3',
  isRequest: true,
  method,
  body: new Uint8Array(0),
  compression: 0,
}

test('a call comes back', () => {
  const body = encodeCallBody({ request: unhex('010203'), timeoutMs: 4000 })
  assert.equal(readCall({ ...call, body }), { request: unhex('010203'), timeoutMs: 4000 })
})

test('an empty body is an empty call, and an empty answer', () => {
  assert.equal(readCall(call), { request: new Uint8Array(0), timeoutMs: 0 })
  assert.equal(readAnswer({ ...call, isRequest: false }), { kind: 'response', response: new Uint8Array(0) })
})

const problems: readonly RpcProblem[] = [
  { kind: 'unknown-service', service: 'X' },
  { kind: 'unknown-method', service: 'X', method: 7 },
  { kind: 'bad-request' },
  { kind: 'failed', text: 'no such listener' },
  { kind: 'other', text: 'ä' },
]
for (const error of problems)
  test(`an answer that says ${error.kind} comes back`, () => {
    const answer: RpcAnswer = { kind: 'error', error }
    assert.equal(readAnswer({ ...call, isRequest: false, body: encodeAnswerBody(answer) }), answer)
  })

test('errors that nobody decides by, and unknown ones, are still errors', () => {
  const read = (body: Uint8Array) => readAnswer({ ...call, isRequest: false, body })
  const kind = { case: 'timeout', value: { errorMessage: 'late' } } as const
  const timeout = rpcResponse.encode({ error: { kind } })
  assert.equal(read(timeout), { kind: 'error', error: { kind: 'other', text: 'late' } })
  assert.equal(read(unhex('1200')), { kind: 'error', error: { kind: 'other', text: 'unknown' } })
  assert.equal(read(unhex('1203820100')), { kind: 'error', error: { kind: 'other', text: 'unknown' } })
})

test('a damaged body, and one that is compressed in an unknown way, is none', () => {
  assert.is(readCall({ ...call, body: unhex('12ff') }), undefined)
  assert.is(readCall({ ...call, compression: 3 }), undefined)
  assert.is(readCall({ ...call, compression: 2, body: unhex('0000') }), undefined)
  assert.is(readAnswer({ ...call, isRequest: false, body: unhex('0aff') }), undefined)
})

test('a compressed body that would be longer than 64 KiB is none', () => {
  // 65,537 zeros: magic, single segment with 4 bytes of size, one block that repeats a byte.
  const frame = unhex(`28b52ffd a0 01000100 0b0008 00`.replaceAll(' ', ''))
  assert.is(readCall({ ...call, compression: 2, body: frame }), undefined)
})

test('a refusal has a text for the caller', () => {
  assert.equal(rpcProblemOf(new RpcRefusal('too many calls')), { kind: 'failed', text: 'too many calls' })
})

test('the text of any other failure stays here', () => {
  const secret = '/home/alice/secret'
  const nested = new Error('open', { cause: new RpcRefusal(secret) })
  for (const error of [
    new Error(secret),
    nested,
    new TypeError(secret),
    secret,
    { message: secret },
    undefined,
  ])
    assert.equal(rpcProblemOf(error), { kind: 'failed', text: 'the call failed' })
})

test.run()
