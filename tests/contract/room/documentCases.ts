import * as assert from 'uvu/assert'
import type { RoomTarget } from '#support/room/roomTargets'
import { generatorProblems } from '../http/generatorRules'
import { type OpenApi, operationsOf, problemsOf } from '../http/openApi'
import { got, refused, stateOf } from './asking'
import type { RoomContract } from './roomContract'

/** Where answering means an end of the program, or takes what the test has not. */
const ENDS = '/shutdown'

const ENDPOINTS = {
  GET: [
    '/ /meta /state /state/scanning /state/guesting /state/ide /room/status /room/kept /room/saved /config /network/servers /ws',
    '/game/servers /game/status /game/services /log /doctor /report /panic /openapi.json /asyncapi.json',
  ],
  POST: [
    '/room/host/start /room/host/game /room/host/ports /room/host/admission /room/guest/start /room/guest/ports',
    '/room/guests/{id}/kick /room/guests/{id}/approve /room/guests/{id}/refuse /room/stop /room/retry /room/resume',
    '/room/saved/{id}/open /room/saved/{id}/check /room/saved/{id}/forget /room/saved/{id}/restore',
    '/room/invitation /invitation /config/launcher /config/nodes /shutdown',
  ],
}

/** The API document, the methods, and addresses that do not exist. */
export function documentCases({ test, one }: RoomContract): void {
  const documentOf = () => got<OpenApi & Record<string, unknown>>(one().send('/openapi.json'))

  test('/openapi.json is a sound OpenAPI 3.1 document of this service', async () => {
    const document = await documentOf()
    assert.match(document.openapi, /^3\.1\.\d+$/)
    assert.equal(document.servers, [{ url: one().url }])
    assert.equal(problemsOf(document), [])
    assert.equal(generatorProblems(document), [])
  })

  test('the document has every endpoint of the contract and every additive one, and no other', async () => {
    const has = operationsOf(await documentOf()).map(({ method, path }) => `${method} ${path}`)
    const wanted = Object.entries(ENDPOINTS).flatMap(([method, paths]) =>
      paths.flatMap((line) => line.split(' ').map((path) => `${method} ${path}`)),
    )
    assert.equal(has.sort(), wanted.sort())
  })

  test('/asyncapi.json describes each type of message by a schema that is there', async () => {
    const document = await got<AsyncApi>(one().send('/asyncapi.json'))
    assert.match(document.asyncapi, /^3\./)
    const { messages, schemas } = document.components
    assert.is(Object.keys(messages).sort().join(' '), 'guests hello log profiles state status worlds')
    for (const [name, { payload }] of Object.entries(messages)) {
      assert.ok(schemas[payload.$ref.replace('#/components/schemas/', '')], name)
      assert.is(document.channels.feed.messages[name]?.$ref, `#/components/messages/${name}`)
    }
  })

  test('every method and path of the document is answered, and no other method on them', async () => {
    for (const operation of operationsOf(await documentOf())) {
      if (operation.path !== ENDS) await assertAnswered(one(), operation)
      await assertNoOtherMethod(one(), operation)
    }
    assert.is((await stateOf(one())).state, 'waiting')
  })

  test('an address that does not exist is 404, with every method', async () => {
    const paths = ['/nothing', '/state/', '/state/x', '/room', '/room/host/start/x', '/META', '//meta']
    for (const path of paths)
      for (const method of ['GET', 'POST', 'DELETE', 'PUT'])
        await refused(one().send(path, { method }), 404, /GET \/openapi\.json/)
  })
}

type AsyncApi = {
  readonly asyncapi: string
  readonly channels: {
    readonly feed: { readonly messages: Readonly<Record<string, { readonly $ref: string }>> }
  }
  readonly components: {
    readonly messages: Readonly<Record<string, { readonly payload: { readonly $ref: string } }>>
    readonly schemas: Readonly<Record<string, unknown>>
  }
}

type Operation = ReturnType<typeof operationsOf>[number]

async function assertAnswered(target: RoomTarget, { path, method, statuses }: Operation): Promise<void> {
  const response = await target.send(path, { method })
  const what = `${method} ${path}: ${response.status}`
  assert.ok(![404, 405, 500].includes(response.status), what)
  assert.ok(statuses.includes(response.status), what)
  await target.send('/room/stop', { method: 'POST' })
}

async function assertNoOtherMethod(target: RoomTarget, { path, method }: Operation): Promise<void> {
  const hasHead = method === 'GET' && !/^\/(state\/(scanning|guesting|ide)|panic|doctor|report)$/.test(path)
  const allowed = [method, ...(hasHead ? ['HEAD'] : []), 'OPTIONS'].join(', ')
  const isOther = (other: string) => other !== method && !(other === 'HEAD' && method === 'GET')
  for (const other of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].filter(isOther)) {
    const response = await target.send(path, { method: other })
    assert.is(response.headers.get('Allow'), allowed, `${other} ${path}`)
    if (other === 'HEAD') assert.is(response.status, 405)
    else await refused(Promise.resolve(response), 405, /supports (GET|POST) only\.$/)
  }
}
