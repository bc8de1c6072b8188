import type { APIGatewayProxyEvent, APIGatewayProxyEventV2 } from 'aws-lambda'

export type Address = {
  /** The app's own path. */
  readonly path: string
  /** Its prefix in the client's URL, such as `/dev`; may be empty. */
  readonly basePath: string
}

/**
 * Splits the address to which the client sent its request. The app's path is preceded by the stage at
 * `*.execute-api.*.amazonaws.com`, and by the base path at a custom domain. An event holds only the whole path, but also
 * the route that matched: as many segments as the route has belong to the app, those before them do not.
 */
export function addressOf(event: HttpEvent): Address {
  const parameters = event.pathParameters ?? {}
  if (!('rawPath' in event)) {
    const count = countParts(event.resource ?? event.path, parameters)
    // `path` is without the stage, `requestContext.path` with it.
    const { path } = split(event.path, count)
    return { path, basePath: split(event.requestContext.path ?? event.path, count).basePath }
  }
  const { rawPath, requestContext } = event
  const { stage, domainName } = requestContext
  const route = /^\S+ (\/\S*)$/.exec(event.routeKey ?? '')?.[1]
  if (route === undefined) {
    const isInPath = stage !== undefined && `${rawPath}/`.startsWith(`/${stage}/`)
    return hidden(isInPath ? cut(rawPath, stage.length + 1) : cut(rawPath, 0), stage, domainName)
  }
  return hidden(split(rawPath, countParts(route, parameters)), stage, domainName)
}

/** HTTP API puts a named stage into the path even where a custom domain hides it from the client. */
function hidden(address: Address, stage: string | undefined, domainName: string | undefined): Address {
  const isHidden = address.basePath === `/${stage}` && !/\.execute-api\./.test(domainName ?? '')
  return isHidden ? { ...address, basePath: '' } : address
}

/** @param count number of segments at the end that belong to the app */
function split(whole: string, count: number): Address {
  const before = countParts(whole, {}) - count
  return cut(whole, before > 0 ? (new RegExp(`^(?:/+[^/]+){${before}}`).exec(whole)?.[0].length ?? 0) : 0)
}

function cut(whole: string, length: number): Address {
  return { path: whole.slice(length) || '/', basePath: whole.slice(0, length) }
}

/** How many segments a path has, or a route with its parameters: `{proxy+}` matches any number. */
function countParts(path: string, parameters: Readonly<Record<string, string | undefined>>): number {
  const parts = path.split('/').filter((part) => part !== '')
  return parts.reduce((sum, part) => {
    const greedy = /^\{(\w+)\+\}$/.exec(part)?.[1]
    return sum + (greedy === undefined ? 1 : countParts(parameters[greedy] ?? '', {}))
  }, 0)
}

/** A request in the form of REST API (version 1), or in that of HTTP API and Function URL (version 2). */
export type HttpEvent = APIGatewayProxyEvent | APIGatewayProxyEventV2

export function isVersion2(event: HttpEvent): event is APIGatewayProxyEventV2 {
  return 'version' in event && event.version === '2.0'
}
