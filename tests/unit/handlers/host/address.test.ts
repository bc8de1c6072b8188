import {
  functionUrl,
  httpApi,
  httpApiStage,
  restApi,
  restApiBasePath,
  restApiOwnDomain,
} from '#support/hosts/lambdaEvents'
import { assert, suite } from '#support/runner/suite'
import { addressOf, type HttpEvent } from '../../../../handlers/host/address'

const test = suite('the address that an event was sent to')

const DOORS = {
  'REST API': [restApi, '/dev'],
  'REST API at a base path': [restApiBasePath, '/media'],
  'REST API at its own domain': [restApiOwnDomain, ''],
  'HTTP API': [httpApi, ''],
  'HTTP API with a stage': [httpApiStage, '/dev'],
  'Function URL': [functionUrl, ''],
} as const

for (const [name, [door, basePath]] of Object.entries(DOORS))
  test(`${name}: the app's path, behind ${basePath || 'nothing'}`, () => {
    for (const [path, route] of [
      ['/', '/'],
      ['/health', '/health'],
      ['/preview/a.mp4', '/preview/{file}'],
      ['/dev/dev/media', '/{proxy+}'],
    ] as const)
      assert.equal(addressOf(door({ method: 'GET', path, route })), { path, basePath }, path)
  })

test('without a route only the stage is no part of the path', () => {
  const address = (path: string) => addressOf(httpApiStage({ method: 'GET', path, route: '$default' }))
  assert.equal(address('/health'), { path: '/health', basePath: '/dev' })
  assert.equal(address('/'), { path: '/', basePath: '/dev' })
  const other = httpApi({ method: 'GET', path: '/devices', route: '$default' })
  const requestContext = { ...other.requestContext, stage: 'dev' }
  assert.equal(addressOf({ ...other, requestContext } as HttpEvent), { path: '/devices', basePath: '' })
})

test('a custom domain hides the stage, but not a base path', () => {
  const at = (domainName: string, stage: string) => {
    const event = httpApiStage({ method: 'GET', path: '/health' })
    return addressOf({
      ...event,
      requestContext: { ...event.requestContext, domainName, stage },
    } as HttpEvent)
  }
  assert.equal(at('api.example.com', 'dev'), { path: '/health', basePath: '' })
  assert.equal(at('api.example.com', 'other'), { path: '/health', basePath: '/dev' })
})

test.run()
