import { ServiceError } from '#core/errors'
import { lambdaContext } from '#support/hosts/lambdaEvents'
import { invokeStreaming, lambdaRuntime } from '#support/hosts/lambdaRuntime'
import { assert, suite } from '#support/runner/suite'
import { streamResponse } from '../../../../handlers/host/streamed'

const test = suite('a response through the stream of the runtime')

test('status, header fields, cookies and bytes are sent', async () => {
  const headers = new Headers({ 'Content-Type': 'text/plain' })
  headers.append('Set-Cookie', 'a=1')
  headers.append('Set-Cookie', 'b=2')
  const { sent, refusals } = await send(new Response(chunks('ab', 'c'), { status: 206, headers }))
  assert.equal(
    [sent.statusCode, sent.headers, sent.cookies, String(sent.body), sent.brokenBy],
    [206, { 'content-type': 'text/plain' }, ['a=1', 'b=2'], 'abc', undefined],
  )
  assert.equal(refusals, [])
})

test('a response without a body is whole, whatever length it names', async () => {
  const { sent } = await send(new Response(null, { status: 304, headers: { 'Content-Length': '5' } }))
  assert.equal([sent.statusCode, sent.body.length, sent.brokenBy], [304, 0, undefined])
})

test('a body that fails before its first bytes is replaced by an error response', async () => {
  const failure = new ServiceError('unavailable', 'The store is away.')
  const { sent, refusals } = await send(
    new Response(chunks(failure), { headers: { ETag: '"x"', Vary: 'Origin' } }),
  )
  assert.is(sent.statusCode, 503)
  assert.equal(JSON.parse(String(sent.body)), { detail: 'The store is away.', code: 'unavailable' })
  assert.equal([sent.headers.vary, sent.headers.etag, sent.brokenBy], ['Origin', undefined, undefined])
  assert.equal(refusals, [failure])
})

test('a body that breaks off later leaves the stream open, and rejects with the reason', async () => {
  const failure = new Error('disk gone')
  const { sent, refusals } = await send(new Response(chunks('ab', failure)))
  assert.is(sent.brokenBy, failure)
  assert.equal([sent.statusCode, String(sent.body), refusals], [200, 'ab', []])
})

for (const promised of ['2', '4'])
  test(`3 bytes are not the ${promised} that were promised`, async () => {
    const { sent } = await send(new Response(chunks('abc'), { headers: { 'Content-Length': promised } }))
    assert.ok(sent.brokenBy instanceof ServiceError && sent.brokenBy.code === 'internal')
    assert.is(sent.brokenBy.detail, `The answer has 3 bytes instead of ${promised}.`)
  })

test('the signal ends the wait for a receiver that takes nothing', async () => {
  const controller = new AbortController()
  const reason = new Error('late')
  const take = () => {
    setTimeout(() => controller.abort(reason), 10)
    return new Promise<void>(() => undefined)
  }
  const { sent } = await send(new Response(chunks('ab', 'cd', 'ef')), controller.signal, {
    take,
    highWaterMark: 1,
  })
  assert.is(sent.brokenBy, reason)
})

async function send(response: Response, signal = new AbortController().signal, reading = {}) {
  const refusals: unknown[] = []
  const onRefused = (error: unknown) => void refusals.push(error)
  const handler = lambdaRuntime.streamifyResponse((_event: unknown, out: awslambda.HttpResponseStream) =>
    streamResponse(response, out, { runtime: lambdaRuntime, signal, onRefused }),
  )
  return { sent: await invokeStreaming(handler, {}, lambdaContext(), reading), refusals }
}

/** A body of these parts; an error breaks it off. */
function chunks(...parts: readonly (string | Error)[]): ReadableStream<Uint8Array> {
  const left = [...parts]
  return new ReadableStream({
    pull(controller) {
      const part = left.shift()
      if (part instanceof Error) controller.error(part)
      else if (part === undefined) controller.close()
      else controller.enqueue(new TextEncoder().encode(part))
    },
  })
}

test.run()
