import {
  encodeAnswerBody,
  encodeCallBody,
  type RpcMessage,
  type RpcProblem,
  RpcRefusal,
  readAnswer,
  readCall,
  rpcProblemOf,
} from '#internal/easytier/rpc/rpcMessage'
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
  { case: 'invalidService', value: { serviceName: 'X' } },
  { case: 'invalidMethodIndex', value: { serviceName: 'X', methodIndex: 7 } },
  { case: 'prostDecodeError', value: {} },
  { case: 'executeError', value: { errorMessage: 'no such listener' } },
  { case: 'otherError', value: { errorMessage: 'ä' } },
]
for (const error of problems)
  test(`an answer that says ${error.case} comes back`, () => {
    const answer = readAnswer({ ...call, isRequest: false, body: encodeAnswerBody({ kind: 'error', error }) })
    assert.ok(answer?.kind === 'error' && answer.error.case === error.case)
    assert.equal({ ...answer.error.value, $typeName: '' }, { ...error.value, $typeName: '' })
  })

test('unknown errors are still errors', () => {
  const read = (body: Uint8Array) => readAnswer({ ...call, isRequest: false, body })
  for (const body of ['1200', '1203820100']) assert.is(read(unhex(body))?.kind, 'error')
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

const failed = (errorMessage: string) => ({ case: 'executeError', value: { errorMessage } })

test('a refusal has a text for the caller', () => {
  assert.equal(rpcProblemOf(new RpcRefusal('too many calls')), failed('too many calls'))
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
    assert.equal(rpcProblemOf(error), failed('the call failed'))
})

test.run()
