import * as assert from 'uvu/assert'
import { nearlyAll } from '#support/values/misspellings'
import type { Contract } from './contract'
import { generatorProblems } from './generatorRules'
import { fieldsOf, type OpenApi, operationsOf, problemsOf } from './openApi'
import { allowed, formOf, jsonOf, post, postJson, refused } from './requests'

const FILES =
  '/preview/{session_id}.mp4 /sessions/{session_id}/strip.jpg /sessions/{session_id}/frames/{n}.jpg'
const ENDPOINTS = {
  HEAD: `/health ${FILES}`,
  GET: `/ /health /openapi.json /uploads/{upload_id} /sessions/{session_id} ${FILES}`,
  POST: '/prepare /uploads /motion-photo /convert /thumbnail /cleanup /inspect /extract /repair',
  PUT: '/uploads/{upload_id}',
  DELETE: '/uploads/{upload_id}',
}

/** The next test has those. */
const FILE_FIELDS = ['file', 'photo', 'cover_file']
const NO_UPLOAD = '0'.repeat(32)
const meant = (name: string) => new RegExp(`^There is no field ".+"\\. Did you mean ${name}\\?`)

/** Health, the page, the API document, and addresses that do not exist. */
export function documentCases({ test, open, session }: Contract): void {
  const documentOf = async (): Promise<OpenApi> => jsonOf(await open().send('/openapi.json'))
  /** The template of a path, filled in so that something is there. */
  const filled = async (path: string) =>
    path
      .replace('/frames/{n}.jpg', '/frames/1.jpg')
      .replace('{session_id}', session().session_id)
      .replace('{upload_id}', (await allowed(open(), 10)).upload_id)

  test('HEAD and GET /health answer 200 without a body', async () => {
    for (const method of ['HEAD', 'GET']) {
      const response = await open().send('/health', { method })
      assert.is(response.status, 200)
      assert.is(await response.text(), '')
      assert.is(response.headers.get('Cache-Control'), 'no-store')
    }
  })

  test('GET / is a page: the studio on this machine, else that of the service', async () => {
    const response = await open().send('/')
    assert.is(response.status, 200)
    assert.match(response.headers.get('Content-Type') ?? '', /^text\/html\b/)
    const page = await response.text()
    assert.match(page, /<!doctype html>/i)
    assert.match(page, /<title>Motion Photo Studio<\/title>|Motion photo API[\s\S]*It is running/)
    assert.is((await open().send('/', { method: 'HEAD' })).status, 200)
  })

  test('/openapi.json is a sound OpenAPI 3.1 document', async () => {
    const response = await open().send('/openapi.json')
    assert.is(response.status, 200)
    assert.match(response.headers.get('Content-Type') ?? '', /^application\/json\b/)
    const document: OpenApi = await jsonOf(response)
    assert.match(document.openapi, /^3\.1\.\d+$/)
    assert.equal(document.servers, [{ url: open().url }])
    assert.equal(problemsOf(document), [])
    assert.equal(generatorProblems(document), [])
  })

  test('a field whose name is nearly that of another is 400 with the other, in every body', async () => {
    const document = await documentOf()
    for (const { path, method, operation } of operationsOf(document)) {
      if (method !== 'POST') continue
      const content = operation.requestBody?.content ?? {}
      const isForm = 'application/x-www-form-urlencoded' in content
      const send = (wrong: string) =>
        isForm
          ? post(open(), path, formOf(undefined, '', { [wrong]: '1' }))
          : postJson(open(), path, { upload_id: NO_UPLOAD, [wrong]: '1' })
      const names = fieldsOf(document, content).filter((name) => !FILE_FIELDS.includes(name))
      for (const [name, wrong] of nearlyAll(names)) {
        const said = await refused(send(wrong), 400)
        assert.match(said, meant(name), `${path} ${wrong}`)
      }
    }
  })

  test('a file whose field is nearly that of another is 400 with the other', async () => {
    const form = formOf(Buffer.from('GIF89a'), 'file', { range_start: '0' })
    form.append('cover_flie', new File(['x'], 'c.jpg'))
    await refused(post(open(), '/motion-photo', form), 400, meant('cover_file'))
    const misnamed = formOf(undefined, '', {})
    misnamed.append('flie', new File(['GIF89a'], 'a.gif'))
    await refused(post(open(), '/prepare', misnamed), 400, meant('file'))
    await refused(postJson(open(), '/prepare', { uploadId: NO_UPLOAD }), 400, meant('upload_id'))
  })

  test('each operation has an id of its own, by which generators name it, and a tag of the document', async () => {
    const document = await documentOf()
    const operations = operationsOf(document)
    const ids = operations.map(({ operation }) => operation.operationId ?? '')
    for (const id of ids) assert.match(id, /^[a-z][A-Za-z]+$/)
    assert.is(new Set(ids).size, ids.length, ids.join(' '))
    const known = document.tags?.map(({ name }) => name) ?? []
    for (const { method, path, operation } of operations)
      assert.ok(operation.tags?.length === 1 && known.includes(operation.tags[0] ?? ''), `${method} ${path}`)
  })

  test('the document has every endpoint of the contract', async () => {
    const has = new Set(operationsOf(await documentOf()).map(({ method, path }) => `${method} ${path}`))
    for (const [method, paths] of Object.entries(ENDPOINTS))
      for (const path of paths.split(' '))
        assert.ok(has.has(`${method} ${path}`), `${method} ${path} is not in the document`)
  })

  test('the app answers every method and path of the document, and no other method on them', async () => {
    const operations = operationsOf(await documentOf())
    const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
    for (const path of new Set(operations.map((operation) => operation.path))) {
      const known = operations.filter((operation) => operation.path === path)
      for (const method of methods) {
        const response = await open().send(await filled(path), { method })
        const what = `${method} ${path}: ${response.status}`
        const operation = known.find((one) => one.method === method)
        if (operation) await assertAnswered(response, operation.statuses, what)
        else await assertNotAllowed(response, method, [...known.map((one) => one.method), 'OPTIONS'], what)
      }
    }
  })

  test('an address that does not exist is 404, with every method', async () => {
    for (const path of ['/nothing', '/nothing/at/all', '/prepare/x', '/sessions', '/preview', '/health/x'])
      for (const method of ['GET', 'POST', 'DELETE', 'PUT']) await refused(open().send(path, { method }), 404)
    const head = await open().send('/nothing', { method: 'HEAD' })
    assert.is(head.status, 404)
    assert.is(await head.text(), '')
  })
}

/** The response to an empty request has a documented status. */
async function assertAnswered(response: Response, statuses: readonly number[], what: string): Promise<void> {
  assert.ok(![404, 405].includes(response.status), what)
  assert.ok(statuses.includes(response.status), what)
  await response.arrayBuffer()
}

async function assertNotAllowed(
  response: Response,
  method: string,
  methods: readonly string[],
  what: string,
): Promise<void> {
  const allow = (response.headers.get('Allow') ?? '').split(', ')
  assert.equal(allow.sort(), [...methods].sort(), what)
  if (method === 'HEAD') assert.is(response.status, 405, what)
  else await refused(response, 405, /takes (GET|POST|PUT, GET, DELETE) only/)
}
