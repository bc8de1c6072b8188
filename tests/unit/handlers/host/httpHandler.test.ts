import { ServiceError } from '@lantern-room/base'
import type { App } from '@lantern-room/media'
import type { Context } from 'aws-lambda'
import { functionUrl, httpApi, lambdaContext, restApi, type Sent } from '#support/hosts/lambdaEvents'
import { invokeStreaming, lambdaRuntime, type Reading, type Streamed } from '#support/hosts/lambdaRuntime'
import { createFakeClock, type FakeClock, isSettled } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import type { HttpEvent } from '../../../../handlers/host/address'
import type { BufferedResult } from '../../../../handlers/host/buffered'
import { readHandlerConfig } from '../../../../handlers/host/config'
import { httpHandler, type InvocationLog } from '../../../../handlers/host/httpHandler'
import type { RedirectLarge } from '../../../../handlers/host/largeAnswers'

const test = suite('answers through Lambda')
const DOORS = { 'REST API': restApi, 'HTTP API': httpApi, 'Function URL': functionUrl } as const
const BUFFERED = readHandlerConfig({ RESPONSE_MODE: 'buffer' })
const STREAMED = readHandlerConfig({ RESPONSE_MODE: 'stream' })
const { maxResponseBytes: MAX_BUFFERED_BYTES } = BUFFERED
/** As where there is no bucket. */
const redirectLarge: RedirectLarge = async (response) => response
const CORS = {
  'Access-Control-Allow-Origin': 'https://app.example.com',
  Vary: 'Origin',
  'X-Request-Id': 'r1',
}

for (const [name, door] of Object.entries(DOORS)) {
  test(`${name}: every byte and header field arrives, streamed or not`, async () => {
    const bytes = Uint8Array.from({ length: 100_000 }, (_, index) => (index * 7) % 256)
    const app: App = async () => {
      const headers = new Headers({ 'Content-Type': 'text/plain', 'Content-Length': '100000', ETag: '"x"' })
      return new Response(inPieces(bytes, 7777), { status: 206, headers })
    }
    const event = door(HEALTH)
    const streamed = await stream(app, event)
    assert.is(streamed.statusCode, 206)
    assert.is(streamed.brokenBy, undefined)
    assert.equal(new Uint8Array(streamed.body), bytes)
    const headers = { 'content-length': '100000', 'content-type': 'text/plain', etag: '"x"' }
    assert.equal(streamed.headers, headers)

    const buffered = await buffer(app, event)
    assert.is(buffered.statusCode, 206)
    assert.is(buffered.isBase64Encoded, true)
    assert.equal(new Uint8Array(Buffer.from(buffered.body, 'base64')), bytes)
    assert.equal(buffered.headers, headers)
  })
}

test('the app is told what stands before its path', async () => {
  const app: App = async (request, seen) => Response.json([new URL(request.url).pathname, seen?.basePath])
  const { body } = await stream(app, restApi(HEALTH))
  assert.equal(JSON.parse(body.toString()), ['/health', '/dev'])
})

test('a stream that breaks off is not ended, and the runtime learns why', async () => {
  for (const failure of [new Error('disk gone'), new ServiceError('unavailable', 'The store is away.')]) {
    const app: App = async () => new Response(failing(3, failure))
    const streamed = await stream(app, restApi(HEALTH))
    assert.is(streamed.brokenBy, failure)
    assert.is(streamed.statusCode, 200)
    assert.is(streamed.body.length, 3000)
    assert.is(lines.at(-1)?.[1], 'the answer broke off')
  }
})

test('a body of fewer or more bytes than promised does not pass for whole', async () => {
  for (const promised of ['999', '1001', '0']) {
    const headers = { 'Content-Length': promised }
    const app: App = async () => new Response(inPieces(new Uint8Array(1000), 100), { headers })
    const { brokenBy } = await stream(app, functionUrl(HEALTH))
    assert.match(String(brokenBy), /has 1000 bytes instead of/)
  }
})

test('a body that fails before its first bytes is refused with a status, and the origin may read it', async () => {
  const failure = new ServiceError('unavailable', 'The store is away.')
  const app: App = async () =>
    new Response(failing(0, failure), { headers: { ...CORS, ETag: '"x"', 'Content-Length': '5' } })
  const expected = { detail: 'The store is away.', code: 'unavailable' }
  const streamed = await stream(app, restApi(HEALTH))
  assert.is(streamed.brokenBy, undefined)
  assert.is(streamed.statusCode, 503)
  assert.equal(JSON.parse(streamed.body.toString()), expected)
  const buffered = await buffer(app, restApi(HEALTH))
  assert.is(buffered.statusCode, 503)
  assert.equal(JSON.parse(Buffer.from(buffered.body, 'base64').toString()), expected)
  for (const { headers } of [streamed, buffered]) {
    assert.is(headers['access-control-allow-origin'], 'https://app.example.com')
    assert.is(headers.vary, 'Origin')
    assert.is(headers['x-request-id'], 'r1')
    assert.is(headers['retry-after'], '10')
    assert.is(headers.etag, undefined)
  }
  assert.is(lines.at(-1)?.[1], 'the answer cannot be sent')
})

test('buffered, an answer that Lambda cannot carry is 413 and says what to do', async () => {
  const tooMuch = MAX_BUFFERED_BYTES + 1
  for (const headers of [{ 'Content-Length': String(tooMuch) }, {}]) {
    const ended = watched()
    const app: App = async () =>
      new Response(counted(tooMuch * 2, ended), { headers: { ...headers, ...CORS } })
    const result = await buffer(app, restApi(HEALTH))
    assert.is(result.statusCode, 413)
    const { code, detail } = JSON.parse(Buffer.from(result.body, 'base64').toString())
    assert.is(code, 'payload-too-large')
    assert.match(detail, /4500000 bytes.*in ranges.*shorter clip/)
    assert.is(result.headers['access-control-allow-origin'], 'https://app.example.com')
    assert.ok(ended.wasCancelled)
    // What was promised is believed: nothing is read in vain.
    if ('Content-Length' in headers) assert.ok(ended.bytes <= 2 * 65_536)
  }
})

test('buffered, the largest answer fits into what Lambda carries', async () => {
  const app: App = async () => new Response(new Uint8Array(MAX_BUFFERED_BYTES), { headers: CORS })
  const result = await buffer(app, restApi(HEALTH))
  assert.is(result.statusCode, 200)
  assert.ok(JSON.stringify(result).length < 6 * 1024 * 1024 - 8192)
})

test('on a developer’s machine nothing is too large, and nothing is streamed', async () => {
  const app: App = async () => new Response(new Uint8Array(MAX_BUFFERED_BYTES + 1))
  const config = readHandlerConfig({ IS_OFFLINE: 'true', RESPONSE_MODE: 'stream' })
  const handler = handlerOf(config, serviceOf(app)) as Buffered
  assert.is((await handler(restApi(HEALTH), lambdaContext())).statusCode, 200)
})

test('streamed, nothing is too large and no more is read than the receiver takes', async () => {
  const size = 20_000_000
  const ended = watched()
  let taken = 0
  let ahead = 0
  const reading: Reading = {
    async take(chunk) {
      ahead = Math.max(ahead, ended.bytes - taken)
      taken += chunk.length
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
  const app: App = async () =>
    new Response(counted(size, ended), { headers: { 'Content-Length': String(size) } })
  const streamed = await stream(app, functionUrl(HEALTH), { reading })
  assert.is(streamed.brokenBy, undefined)
  assert.is(streamed.body.length, size)
  assert.ok(ahead <= 5 * 65_536, `${ahead} bytes ahead`)
})

test('a receiver that goes away ends the work and the body', async () => {
  const ended = watched()
  let signal: AbortSignal | undefined
  const app: App = async (request) => {
    signal = request.signal
    return new Response(counted(20_000_000, ended))
  }
  let count = 0
  const reading: Reading = {
    take(_, out) {
      count += 1
      if (count === 5) out.emit('error', new Error('EPIPE'))
      // A connection that is gone takes nothing any more.
      return count >= 5 ? new Promise(() => undefined) : undefined
    },
  }
  const streamed = await stream(app, restApi(HEALTH), { reading })
  assert.match(String(streamed.brokenBy), /has disconnected/)
  assert.ok(ended.wasCancelled)
  assert.ok(signal?.aborted)
})

test('time that ends while work runs is told as 504 in time', async () => {
  for (const send of [stream, buffer] as const) {
    const app: App = (request) =>
      new Promise((resolve) => {
        const refuse = () =>
          resolve(Response.json({ reason: String(request.signal.reason) }, { status: 504 }))
        request.signal.addEventListener('abort', refuse)
      })
    await withFakeTimers(async (clock) => {
      const context = { ...lambdaContext(), getRemainingTimeInMillis: () => 10_000 }
      const sending = send(app, restApi(HEALTH), { context })
      await clock.advance(8499)
      assert.not.ok(await isSettled(Promise.resolve(sending)))
      await clock.advance(1)
      const result = await sending
      assert.is(result.statusCode, 504)
      assert.is((result as Streamed).brokenBy, undefined)
    })
  }
})

test('time that ends while the body is sent breaks it off and stops its source', async () => {
  const ended = watched()
  const app: App = async () => new Response(endless(ended))
  const streamed = await stream(app, restApi(HEALTH), { context: lambdaContext(700) })
  assert.match(String(streamed.brokenBy), /longer than this function may run/)
  assert.ok(ended.wasCancelled)
  const slow: Reading = { take: () => new Promise(() => undefined) }
  const stuck = await stream(app, restApi(HEALTH), { context: lambdaContext(700), reading: slow })
  assert.match(String(stuck.brokenBy), /longer than this function may run/)
  const buffered = await buffer(async () => new Response(stalled()), restApi(HEALTH), {
    context: lambdaContext(700),
  })
  assert.is(buffered.statusCode, 504)
})

test('streamed, the runtime does not wait for sockets that are kept', async () => {
  const context = lambdaContext()
  await stream(async () => new Response('x'), restApi(HEALTH), { context })
  assert.is(context.callbackWaitsForEmptyEventLoop, false)
})

test('a service that cannot start says so, and logs why', async () => {
  const service = Promise.reject(new Error('SESSION_TTL_SECONDS is wrong'))
  const { statusCode, body } = await invokeStreaming(
    handlerOf(STREAMED, service),
    restApi(HEALTH),
    lambdaContext(),
  )
  assert.is(statusCode, 503)
  assert.is(JSON.parse(body.toString()).code, 'unavailable')
  assert.match(JSON.stringify(lines.at(-1)), /cannot start.*SESSION_TTL_SECONDS is wrong/)
})

test('an event that is no request is 400', async () => {
  const app: App = async () => new Response('never')
  const { statusCode, body } = await stream(app, { Records: [] } as unknown as HttpEvent)
  assert.is(statusCode, 400)
  assert.is(JSON.parse(body.toString()).code, 'invalid-request')
})

test('to stream where that is not possible is refused at once', () => {
  const options = { service: serviceOf(async () => new Response()), startLog: () => log, runtime: undefined }
  assert.throws(() => httpHandler({ ...options, config: STREAMED }), /RESPONSE_MODE=stream/)
})

type Buffered = (event: HttpEvent, context: Context) => Promise<BufferedResult>
type Options = { readonly context?: Context; readonly reading?: Reading }

const HEALTH: Sent = { method: 'GET', path: '/health' }
const lines: [string, string, unknown][] = []
const entry = (level: string) => (message: string, fields?: unknown) =>
  void lines.push([level, message, fields])
const log: InvocationLog = {
  debug: entry('debug'),
  info: entry('info'),
  warn: entry('warn'),
  error: entry('error'),
  begin: () => undefined,
}

type Service = Parameters<typeof httpHandler>[0]['service']

function serviceOf(app: App): Service {
  return Promise.resolve({ app, log, redirectLarge })
}

function handlerOf(config: typeof STREAMED, service: Service) {
  return httpHandler({ config, service, startLog: () => log, runtime: lambdaRuntime })
}

function stream(app: App, event: HttpEvent, { context, reading }: Options = {}): Promise<Streamed> {
  return invokeStreaming(handlerOf(STREAMED, serviceOf(app)), event, context ?? lambdaContext(), reading)
}

function buffer(app: App, event: HttpEvent, { context }: Options = {}): Promise<BufferedResult> {
  return (handlerOf(BUFFERED, serviceOf(app)) as Buffered)(event, context ?? lambdaContext())
}

type Watched = { bytes: number; wasCancelled: boolean }

function watched(): Watched {
  return { bytes: 0, wasCancelled: false }
}

/** A body that is made by `pull`. */
function bodyOf(
  pull: (controller: ReadableStreamDefaultController<Uint8Array>) => unknown,
  ended = watched(),
): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull: async (controller) => void (await pull(controller)),
    cancel() {
      ended.wasCancelled = true
    },
  })
}

function inPieces(bytes: Uint8Array, size: number): ReadableStream<Uint8Array> {
  let at = 0
  return bodyOf((controller) => {
    if (at >= bytes.length) return controller.close()
    controller.enqueue(bytes.subarray(at, at + size))
    at += size
  })
}

/** @param whole pieces of 1000 bytes that come before the failure */
function failing(whole: number, failure: Error): ReadableStream<Uint8Array> {
  let left = whole
  return bodyOf((controller) => {
    if (left === 0) return controller.error(failure)
    left -= 1
    controller.enqueue(new Uint8Array(1000))
  })
}

function counted(size: number, ended: Watched): ReadableStream<Uint8Array> {
  return bodyOf((controller) => {
    const length = Math.min(65_536, size - ended.bytes)
    if (length === 0) return controller.close()
    ended.bytes += length
    controller.enqueue(new Uint8Array(length))
  }, ended)
}

function endless(ended: Watched): ReadableStream<Uint8Array> {
  return bodyOf(async (controller) => {
    await new Promise((resolve) => setTimeout(resolve, 10))
    controller.enqueue(new Uint8Array(40_000))
  }, ended)
}

/** Gives a little and then nothing, for ever. */
function stalled(): ReadableStream<Uint8Array> {
  let hasBegun = false
  return bodyOf(async (controller) => {
    if (hasBegun) await new Promise(() => undefined)
    hasBegun = true
    controller.enqueue(new Uint8Array(10))
  })
}

/** Runs a step whose `setTimeout` is of a clock that stands still until it is moved; the real one comes back afterwards. */
async function withFakeTimers<T>(step: (clock: FakeClock) => Promise<T>): Promise<T> {
  const clock = createFakeClock()
  const { setTimeout, clearTimeout } = globalThis
  const fake = {
    setTimeout: (act: () => void, ms = 0) => clock.after(ms, act),
    clearTimeout: (cancel?: () => void) => cancel?.(),
  }
  Object.assign(globalThis, fake)
  try {
    return await step(clock)
  } finally {
    Object.assign(globalThis, { setTimeout, clearTimeout })
  }
}

test.run()
