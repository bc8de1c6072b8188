import { nameOperations } from '#core/room/api/http/operationIds'
import { assert, suite } from '../../../../support/runner/suite'

const test = suite('names of operations')

test('an operation is named by its method and its path', () => {
  const paths = {
    '/': { get: {} },
    '/state/guesting': { get: {}, post: {}, parameters: [{}] },
    '/game/servers': { get: { operationId: 'old' } },
    '/openapi.json': { get: {} },
  }
  nameOperations(paths)
  assert.equal(paths, {
    '/': { get: { operationId: 'getPage' } },
    '/state/guesting': {
      get: { operationId: 'getStateGuesting' },
      post: { operationId: 'postStateGuesting' },
      parameters: [{}],
    },
    '/game/servers': { get: { operationId: 'getGameServers' } },
    '/openapi.json': { get: { operationId: 'getOpenapiJson' } },
  })
})

test.run()
