import { assert, suite } from '#support/runner/suite'
import { generatorProblems } from './generatorRules'
import type { OpenApi } from './openApi'

const test = suite('the rules for documents that generators read')

const json = (schema: object) => ({ 'application/json': { schema } })
const done = { 200: { description: 'Done.', content: json({ type: 'string' }) } }

function documentOf(operation: object, properties: object = {}, info: object = {}): OpenApi {
  return {
    openapi: '3.1.0',
    info: { title: 'A service', version: '1', ...info },
    servers: [],
    paths: { '/it': { post: { operationId: 'postIt', responses: done, ...operation } } },
    components: { schemas: { It: { type: 'object', properties } }, securitySchemes: {} },
  } as OpenApi
}

test('a document that keeps them has no problem', () => {
  const requestBody = { content: json({ $ref: '#/components/schemas/It' }) }
  const properties = {
    properties: { type: 'object' },
    enum: { type: 'integer' },
    kind: { type: 'string', enum: ['a', 'b'] },
  }
  assert.equal(generatorProblems(documentOf({ requestBody }, properties)), [])
})

const BROKEN: readonly [string, OpenApi, RegExp][] = [
  ['a licence', documentOf({}, {}, { license: { name: 'MIT' } }), /^info\.license/],
  ['a name with a hyphen', documentOf({ operationId: 'post-it' }), /operationId "post-it"/],
  ['no name', documentOf({ operationId: undefined }), /operationId ""/],
  [
    'two types of body',
    documentOf({ requestBody: { content: { ...json({}), 'multipart/form-data': {} } } }),
    /takes application\/json, multipart/,
  ],
  ['any type of body', documentOf({ requestBody: { content: { '*/*': {} } } }), /takes any type/],
  [
    'two successes',
    documentOf({ responses: { ...done, 202: { description: 'Begun.' } } }),
    /succeeds as 200,202/,
  ],
  [
    'a stream',
    documentOf({ responses: { 200: { description: 'Events.', content: { 'text/event-stream': {} } } } }),
    /a stream/,
  ],
  ['an enum of numbers', documentOf({}, { turn: { type: 'integer', enum: [90, 180] } }), /number of 90,180/],
  ['a constant number', documentOf({}, { format: { const: 1 } }), /number of 1/],
  [
    'two spellings of one name',
    documentOf({}, { profileIndex: { type: 'integer' }, profile_index: { type: 'integer' } }),
    /It: profile_index is nearly/,
  ],
]

for (const [what, document, expected] of BROKEN)
  test(`one with ${what} has that problem and no other`, () => {
    const problems = generatorProblems(document)
    assert.is(problems.length, 1, problems.join('\n'))
    assert.match(problems[0] ?? '', expected)
  })

test.run()
