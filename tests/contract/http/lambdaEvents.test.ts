import { join } from 'node:path'
import type { LambdaContext, LambdaEvent } from 'hono/aws-lambda'
import { folderOfSuite } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { equalBytes } from '#support/values/equalBytes'
import { entriesBelow } from '../ports/leaks'
import { clipsOf } from './contract'
import { formOf } from './requests'

// The handlers as Lambda calls them: with the events of its three front doors, and with an end to their time.

const test = suite('the Lambda handlers', { timeoutMs: 60_000 })

type Result = {
  readonly statusCode: number
  readonly headers?: Readonly<Record<string, string>>
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[]>>
  readonly body: string
  readonly isBase64Encoded: boolean
}
type Handler = (event: LambdaEvent, context: LambdaContext) => Promise<Result>
type Sent = { readonly body?: Buffer; readonly type?: string; readonly remainingMs?: number }

const folder = await folderOfSuite(test, 'lantern-lambda')
const clips = await clipsOf(test)
/** By the first part of the path, as the gateway finds them. */
let handlers: Readonly<Record<string, Handler>> = {}

test.before(async () => {
  Object.assign(process.env, { DATA_DIR: folder, LOG_LEVEL: 'error' })
  // They read their settings when they are loaded.
  const [prepare, preview, convert] = await Promise.all([
    import('../../../handlers/prepare'),
    import('../../../handlers/preview'),
    import('../../../handlers/convert'),
  ])
  const loaded = Object.entries({ prepare, preview, convert })
  handlers = Object.fromEntries(loaded.map(([name, { handler }]) => [name, handler as unknown as Handler]))
})
test.after.each(async () => assert.equal(await entriesBelow(join(folder, 'work')), []))

for (const [door, call] of Object.entries({ 'REST API': restApi, 'HTTP API and Function URL': httpApi }))
  test(`an upload and its preview pass through events of ${door} byte for byte`, async () => {
    const uploaded = await call('POST', '/prepare', await formBody(clips.silent))
    assert.is(uploaded.statusCode, 200, uploaded.body)
    const { session_id, frames, preview_url } = JSON.parse(bodyOf(uploaded).toString())
    assert.is(frames, 30)
    assert.is(preview_url, `https://api.example.com/preview/${session_id}.mp4`)

    const preview = bodyOf(await call('GET', `/preview/${session_id}.mp4`))
    assert.is(preview.toString('latin1', 4, 8), 'ftyp')
    assert.is((await call('HEAD', `/preview/${session_id}.mp4`)).body, '')
    const fields = { session_id, range_start: '0', range_end: '1', cover_time: '0', speed: '1' }
    const photo = await call('POST', '/convert', {
      body: Buffer.from(String(new URLSearchParams(fields))),
      type: 'application/x-www-form-urlencoded',
    })
    assert.is(headerOf(photo, 'content-type'), 'image/jpeg')
    equalBytes(bodyOf(photo).subarray(0, 3), Buffer.from([0xff, 0xd8, 0xff]))
    assert.is(headerOf(photo, 'content-length'), String(bodyOf(photo).length))
  })

test('work that would outlast the function is ended in time for an answer', async () => {
  const form = await formBody(clips.talking)
  for (const remainingMs of [0, 1000, 1520]) {
    const result = await restApi('POST', '/prepare', { ...form, remainingMs })
    assert.is(result.statusCode, 504)
    assert.match(JSON.parse(bodyOf(result).toString()).detail, /longer than this function may run/)
  }
  assert.is((await restApi('POST', '/prepare', { ...form, remainingMs: 30_000 })).statusCode, 200)
})

test('what is refused comes back as it should', async () => {
  const result = await httpApi('POST', '/prepare', { body: Buffer.from('{}'), type: 'application/json' })
  assert.is(result.statusCode, 400)
  assert.is(JSON.parse(bodyOf(result).toString()).code, 'invalid-request')
  assert.is((await restApi('DELETE', '/prepare')).statusCode, 405)
  assert.is((await restApi('GET', '/nothing')).statusCode, 404)
})

test("a function does nothing that is another's: whoever sends it there hears that it is a mistake", async () => {
  const result = await restApi('POST', '/prepare', await formBody(clips.silent), 'preview')
  assert.is(result.statusCode, 500)
  assert.is(JSON.parse(bodyOf(result).toString()).code, 'internal')
})

async function formBody(file: Uint8Array): Promise<Sent> {
  const request = new Request('http://x', { method: 'POST', body: formOf(file) })
  return {
    body: Buffer.from(await request.arrayBuffer()),
    type: request.headers.get('Content-Type') ?? '',
  }
}

function restApi(
  method: string,
  path: string,
  { body, type, remainingMs }: Sent = {},
  to = nameIn(path),
): Promise<Result> {
  return call(
    to,
    {
      httpMethod: method,
      path,
      resource: path,
      queryStringParameters: null,
      headers: type === undefined ? {} : { 'Content-Type': type },
      multiValueHeaders: type === undefined ? {} : { 'Content-Type': [type] },
      body: body?.toString('base64') ?? null,
      isBase64Encoded: body !== undefined,
      requestContext: { domainName: 'api.example.com', httpMethod: method, path, stage: 'dev' },
    },
    remainingMs,
  )
}

function httpApi(method: string, path: string, { body, type, remainingMs }: Sent = {}): Promise<Result> {
  return call(
    nameIn(path),
    {
      version: '2.0',
      rawPath: path,
      rawQueryString: '',
      routeKey: '$default',
      headers: type === undefined ? {} : { 'content-type': type },
      body: body?.toString('base64'),
      isBase64Encoded: body !== undefined,
      requestContext: { domainName: 'api.example.com', http: { method, path } },
    },
    remainingMs,
  )
}

function nameIn(path: string): string {
  return path.split('/')[1] ?? ''
}

function call(name: string, event: unknown, remainingMs = 30_000): Promise<Result> {
  const context = {
    awsRequestId: 'a-request',
    functionName: 'x',
    getRemainingTimeInMillis: () => remainingMs,
  }
  const handler = handlers[name] ?? handlers.prepare
  if (handler === undefined) throw new Error('none is loaded')
  return handler(event as LambdaEvent, context as unknown as LambdaContext)
}

function bodyOf({ body, isBase64Encoded }: Result): Buffer {
  return Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8')
}

function headerOf({ headers, multiValueHeaders }: Result, name: string): string | undefined {
  return headers?.[name] ?? multiValueHeaders?.[name]?.[0]
}

test.run()
