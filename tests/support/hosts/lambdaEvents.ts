import type { APIGatewayProxyEvent, APIGatewayProxyEventV2, Context } from 'aws-lambda'
import type { HttpEvent } from '../../../handlers/host/address'

// Events as the front doors of Lambda make them, with every field of the documented examples.

export type Sent = {
  readonly method: string
  /** With its query, as the app knows it: `/preview/x.mp4?a=1`. */
  readonly path: string
  readonly headers?: readonly (readonly [string, string])[]
  readonly body?: Uint8Array
  /** REST API and HTTP API: which of the gateway's routes took it. Default `/{proxy+}`; `$default` is none. */
  readonly route?: string
}

export type Door = (sent: Sent) => HttpEvent

/** REST API at its own address, which begins with the stage. */
export const restApi: Door = (sent) => restEvent(sent, { domain: EXECUTE_API, base: '/dev' })

/** REST API at a domain of one's own, mapped to a base path. The stage is not seen. */
export const restApiBasePath: Door = (sent) =>
  restEvent(sent, { domain: 'api.example.com', base: '/media', isInPath: true })

export const restApiOwnDomain: Door = (sent) => restEvent(sent, { domain: 'api.example.com', base: '' })

export const httpApi: Door = (sent) =>
  version2(sent, { domain: EXECUTE_API, stage: '$default', routeKey: routeKey(sent) })

/** HTTP API with a stage that has a name: it stands before the path. */
export const httpApiStage: Door = (sent) =>
  version2(sent, { domain: EXECUTE_API, stage: 'dev', routeKey: routeKey(sent) })

export const functionUrl: Door = (sent) =>
  version2(sent, { domain: FUNCTION_URL, stage: '$default', routeKey: '$default' })

/** A form, sent to the route of its path. */
export async function formEvent(
  path: string,
  body: FormData | URLSearchParams,
  headers: NonNullable<Sent['headers']> = [],
): Promise<HttpEvent> {
  const request = new Request('http://x', { method: 'POST', body })
  const type = ['Content-Type', request.headers.get('Content-Type') ?? ''] as const
  const bytes = new Uint8Array(await request.arrayBuffer())
  return restApi({ method: 'POST', path, route: path, headers: [type, ...headers], body: bytes })
}

export const EXECUTE_API = 'a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com'
export const FUNCTION_URL = 'abcdefghijklmnopqrstuvwxyz012345.lambda-url.eu-central-1.on.aws'
export const CLIENT_ADDRESS = '203.0.113.77'

export function lambdaContext(remainingMs = 30_000): Context {
  const until = Date.now() + remainingMs
  const unused = () => {
    throw new Error('no longer documented')
  }
  return {
    callbackWaitsForEmptyEventLoop: true,
    functionName: 'lantern-room-media-dev-preview',
    functionVersion: '$LATEST',
    invokedFunctionArn: 'arn:aws:lambda:eu-central-1:123456789012:function:lantern-room-media-dev-preview',
    memoryLimitInMB: '1769',
    awsRequestId: '8f5b1a52-1f6c-4a0e-9f6c-3c2d9f1f6a11',
    logGroupName: '/aws/lambda/lantern-room-media-dev-preview',
    logStreamName: '2026/01/02/[$LATEST]0123456789abcdef0123456789abcdef',
    getRemainingTimeInMillis: () => until - Date.now(),
    done: unused,
    fail: unused,
    succeed: unused,
  }
}

/** @see https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html */
function restEvent(
  sent: Sent,
  { domain, base, isInPath = false }: { domain: string; base: string; isInPath?: boolean },
): APIGatewayProxyEvent {
  const { pathname, searchParams } = new URL(sent.path, 'http://x')
  const headers = withGatewayHeaders(sent, domain)
  const route = sent.route ?? (pathname === '/' ? '/' : '/{proxy+}')
  const identity = {
    accessKey: null,
    accountId: null,
    apiKey: null,
    apiKeyId: null,
    caller: null,
    clientCert: null,
    cognitoAuthenticationProvider: null,
    cognitoAuthenticationType: null,
    cognitoIdentityId: null,
    cognitoIdentityPoolId: null,
    principalOrgId: null,
    user: null,
    userArn: null,
    sourceIp: CLIENT_ADDRESS,
    userAgent: 'curl/8.5.0',
  }
  return {
    resource: route,
    path: `${isInPath ? base : ''}${pathname}`,
    httpMethod: sent.method,
    headers: Object.fromEntries(headers),
    multiValueHeaders: gathered(headers),
    queryStringParameters: searchParams.size > 0 ? Object.fromEntries(searchParams) : null,
    multiValueQueryStringParameters: searchParams.size > 0 ? gathered([...searchParams]) : null,
    pathParameters: parametersOf(route, pathname),
    stageVariables: null,
    requestContext: {
      accountId: '123456789012',
      apiId: 'a1b2c3d4e5',
      authorizer: null,
      stage: 'dev',
      protocol: 'HTTP/1.1',
      httpMethod: sent.method,
      path: `${base}${pathname}`,
      identity,
      domainName: domain,
      domainPrefix: domain.split('.')[0] ?? '',
      resourceId: '5jm1p7',
      resourcePath: route,
      requestTime: '02/Jan/2026:03:04:05 +0000',
      requestId: 'c6af9ac6-7b61-11e6-9a41-93e8deadbeef',
      extendedRequestId: 'DsK5_HFqFiAFZ-Q=',
      requestTimeEpoch: 1_767_323_045_000,
    },
    body: sent.body ? Buffer.from(sent.body).toString('base64') : null,
    isBase64Encoded: sent.body !== undefined,
  }
}

/** @see https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html */
function version2(
  sent: Sent,
  { domain, stage, routeKey }: { domain: string; stage: string; routeKey: string },
): APIGatewayProxyEventV2 {
  const { pathname, search } = new URL(sent.path, 'http://x')
  const rawPath = `${stage === '$default' ? '' : `/${stage}`}${pathname}`
  const headers = gathered(
    withGatewayHeaders(sent, domain).map(([name, value]) => [name.toLowerCase(), value]),
  )
  const { cookie, ...others } = headers
  const parameters = parametersOf(routeKey.split(' ')[1] ?? '', pathname)
  return {
    version: '2.0',
    routeKey,
    rawPath,
    rawQueryString: search.slice(1),
    ...(cookie && { cookies: cookie.flatMap((value) => value.split('; ')) }),
    headers: Object.fromEntries(Object.entries(others).map(([name, values]) => [name, values.join(',')])),
    ...(parameters && { pathParameters: parameters }),
    requestContext: {
      accountId: 'anonymous',
      apiId: 'a1b2c3d4e5',
      domainName: domain,
      routeKey,
      stage,
      domainPrefix: domain.split('.')[0] ?? '',
      http: {
        method: sent.method,
        path: rawPath,
        protocol: 'HTTP/1.1',
        sourceIp: CLIENT_ADDRESS,
        userAgent: 'curl/8.5.0',
      },
      requestId: 'c6af9ac6-7b61-11e6-9a41-93e8deadbeef',
      time: '02/Jan/2026:03:04:05 +0000',
      timeEpoch: 1_767_323_045_000,
    },
    ...(sent.body && { body: Buffer.from(sent.body).toString('base64') }),
    isBase64Encoded: sent.body !== undefined,
  }
}

function withGatewayHeaders({ headers = [] }: Sent, domain: string): (readonly [string, string])[] {
  return [
    ...headers,
    ['Host', domain],
    ['X-Amzn-Trace-Id', 'Root=1-5e6722a7-cc56xmpl46db7ae02d4da47e'],
    ['X-Forwarded-For', CLIENT_ADDRESS],
    ['X-Forwarded-Port', '443'],
    ['X-Forwarded-Proto', 'https'],
  ]
}

function gathered(entries: readonly (readonly [string, string])[]): Record<string, string[]> {
  const values: Record<string, string[]> = {}
  for (const [name, value] of entries) values[name] = [...(values[name] ?? []), value]
  return values
}

function routeKey({ route, path }: Sent): string {
  if (route === '$default') return route
  return `ANY ${route ?? (new URL(path, 'http://x').pathname === '/' ? '/' : '/{proxy+}')}`
}

/** `{name}` takes one part of the path, `{name+}` the rest. */
function parametersOf(route: string, pathname: string): Record<string, string> | null {
  const names: string[] = []
  const pattern = route.replace(/\{(\w+)(\+?)\}/g, (_, name: string, isGreedy: string) => {
    names.push(name)
    return isGreedy ? '(.+)' : '([^/]+)'
  })
  const values = new RegExp(`^${pattern}$`).exec(pathname)?.slice(1) ?? []
  return names.length > 0
    ? Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(values[index] ?? '')]))
    : null
}
