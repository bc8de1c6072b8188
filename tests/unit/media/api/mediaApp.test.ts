import { CONTRACTS } from '#core/media/api/contracts'
import { documentRoute } from '#core/media/api/document'
import { healthRoute } from '#core/media/api/health'
import { createMediaApp } from '#core/media/api/mediaApp'
import type { MediaRoute } from '#core/media/api/mediaRoute'
import { readMediaConfig } from '#core/media/config'
import { assert, suite } from '#support/runner/suite'
import { silentLog } from '#support/values/testLog'

const test = suite('an app with some routes')
const health = healthRoute({ check: async () => undefined })

function sender(routes: readonly MediaRoute[], settings: Record<string, string> = {}) {
  const log = silentLog()
  const app = createMediaApp({ config: readMediaConfig(settings), now: () => 0, log }, routes)
  return (method: string, path: string) => app(new Request(`http://media.test${path}`, { method }))
}

const codeOf = async (response: Response) => ((await response.json()) as { code: string }).code

test('serves its own routes', async () => {
  const send = sender([health])
  assert.is((await send('GET', '/health')).status, 200)
  assert.is((await send('HEAD', '/health')).status, 200)
})

test('answers 500 to every other route of the API, because the gateway has mistaken the function', async () => {
  const send = sender([health])
  for (const { method, path } of CONTRACTS) {
    if (path === '/health') continue
    const response = await send(method.toUpperCase(), path.replace(/\{\w+\}/, 'x'))
    assert.is(response.status, 500, `${method} ${path}`)
    assert.is(await codeOf(response), 'internal')
  }
})

test('answers 405 to a wrong method on every path of the API', async () => {
  const send = sender([health])
  for (const { path } of CONTRACTS) {
    const response = await send('PATCH', path.replace(/\{\w+\}/, 'x'))
    assert.is(response.status, 405, path)
    const methods = CONTRACTS.filter((one) => one.path === path).map(({ method }) => method.toUpperCase())
    const allowed = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method))
    assert.is(response.headers.get('Allow'), [...allowed, 'OPTIONS'].join(', '))
    assert.is(await codeOf(response), 'method-not-allowed')
  }
})

test('answers 404 to paths that are not in the API', async () => {
  const response = await sender([health])('GET', '/healthy')
  assert.is(response.status, 404)
  assert.is(await codeOf(response), 'not-found')
})

test('has the whole API in its document, in the order of the contracts', async () => {
  const document = await (await sender([documentRoute('1.2.3')])('GET', '/openapi.json')).json()
  const { paths, info } = document as { paths: Record<string, object>; info: { version: string } }
  assert.equal(Object.keys(paths), [...new Set(CONTRACTS.map(({ path }) => path))])
  assert.is(info.version, '1.2.3')
  const operations = Object.values(paths).flatMap((operations) => Object.keys(operations))
  const heads = CONTRACTS.filter(({ method }) => method === 'get').length
  assert.is(operations.length, CONTRACTS.length + heads)
})

test('asks for the token, except where an address is the permission and on the page', async () => {
  const send = sender([health], { MEDIA_SERVICE_TOKEN: 'a-token-0123456789' })
  for (const [method, path, status] of [
    ['GET', '/health', 401],
    ['GET', '/nothing', 401],
    ['GET', '/preview/x.mp4', 500],
    ['PUT', '/uploads/x', 500],
    ['GET', '/', 500],
  ] as const)
    assert.is((await send(method, path)).status, status, path)
})

test.run()
