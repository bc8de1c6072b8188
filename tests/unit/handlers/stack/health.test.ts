import { createServer } from 'node:http'
import { closingOfEachTest } from '#support/process/closing'
import { openPort } from '#support/process/openPort'
import { assert, suite } from '#support/runner/suite'
import { askBehindAuthorizer } from '../../../../handlers/stack/health'

const test = suite('the health of a deployment behind an authorizer')
const { add } = closingOfEachTest(test)

const STREAMED = `{"statusCode":200,"headers":{}}${'\0'.repeat(8)}`

test('it works when the function does and the gateway passes on what is open', async () => {
  const { works, said, asked } = await ask(STREAMED, 404, '{"detail":"x","code":"not-found"}')
  assert.ok(works, said)
  assert.equal([asked.httpMethod, asked.path], ['GET', '/health'])
  assert.ok((await ask('{"statusCode":200,"body":""}', 404, '{"code":"not-found"}')).works)
})

for (const [what, answer, status, body, told] of [
  ['a function that is not well', '{"statusCode":503}', 404, '{"code":"not-found"}', /answers .*503/],
  ['a function that crashes', '{"errorMessage":"boom"}', 404, '{"code":"not-found"}', /answers .*boom/],
  ['a gateway without the route', STREAMED, 404, '{"message":"Not Found"}', /GET .* 404/],
  [
    'a gateway that refuses',
    STREAMED,
    403,
    '{"message":"Missing Authentication Token"}',
    /GET .* 403 .*Missing/,
  ],
] as const)
  test(`${what} does not work, and is told`, async () => {
    const { works, said, pauses } = await ask(answer, status, body)
    assert.not.ok(works)
    assert.match(said, told)
    assert.is(pauses, 11)
  })

/** @param answer of the function @param status of the gateway */
async function ask(answer: string, status: number, body: string) {
  const gateway = createServer((_, response) => response.writeHead(status).end(body))
  const ServiceEndpoint = `http://127.0.0.1:${await openPort(gateway)}`
  add(async () => void gateway.close())
  let asked: Readonly<Record<string, unknown>> = {}
  let pauses = 0
  const health = await askBehindAuthorizer(
    { outputs: { ServiceEndpoint } },
    async (event) => {
      asked = JSON.parse(event)
      return answer
    },
    async () => {
      pauses += 1
    },
  )
  gateway.closeAllConnections()
  return { ...health, asked, pauses }
}

test.run()
