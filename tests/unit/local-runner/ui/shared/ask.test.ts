import { openFakePage } from '#support/browser/fakePage'
import { assert, suite } from '#support/runner/suite'

const page = openFakePage('#token=secret')
const { ask, askJson, postJson, problemOf, RequestProblem } = await import(
  '../../../../../local-runner/ui/shared/ask'
)
const { isTokenNeeded } = await import('../../../../../local-runner/ui/shared/token')

const test = suite('requests of a page')

const problemOfWork = async (work: Promise<unknown>) => {
  const error = await work.catch((thrown: unknown) => thrown)
  return error instanceof RequestProblem ? `${error.code}: ${error.detail}` : error
}

test('each has the token of the address, and the headers that it was given', async () => {
  page.answer = async () => Response.json({ a: 1 })
  assert.equal(await askJson('x'), { a: 1 })
  await postJson('y', { b: 2 }, { headers: { Accept: 'text/event-stream' } })
  const [get, post] = page.asked.map(({ init }) => Object.fromEntries(new Headers(init.headers)))
  assert.equal(get, { authorization: 'Bearer secret' })
  assert.equal(post, {
    authorization: 'Bearer secret',
    accept: 'text/event-stream',
    'content-type': 'application/json',
  })
  assert.equal([page.asked[1]?.init.method, page.asked[1]?.init.body], ['POST', '{"b":2}'])
})

test('a refusal is told as the service says it, in the form of either of its parts', () => {
  const said = (status: number, body: string) => {
    const { code, detail } = problemOf(status, body)
    return [code, detail]
  }
  assert.equal(said(409, '{"code":"conflict","detail":"It is in use."}'), ['conflict', 'It is in use.'])
  assert.equal(said(400, '{"error":"wrong state"}'), ['http-400', 'wrong state'])
  assert.equal(said(502, '<html>'), ['http-502', 'HTTP 502'])
  assert.is(isTokenNeeded.value, false)
  problemOf(401, '')
  assert.is(isTokenNeeded.value, true)
})

test('no response is a problem; an abort is the reason of its signal', async () => {
  page.answer = async () => Response.json({ code: 'not-found', detail: 'gone' }, { status: 404 })
  assert.is(await problemOfWork(ask('x')), 'not-found: gone')
  const failed = new TypeError('fetch failed')
  page.answer = async () => {
    throw failed
  }
  assert.is(await problemOfWork(ask('x')), 'unreachable: ')
  assert.is(await problemOfWork(ask('x', { signal: AbortSignal.abort() })), failed)
})

test.run()
