import type { HttpEvent } from './httpEvent'

export type Address = {
  /** The app's own path. */
  readonly path: string
  /** What stands before it in the address that the client used: `/dev`, or nothing. */
  readonly basePath: string
}

/**
 * Where the client sent its request. Before the app's path stands the stage at `*.execute-api.*.amazonaws.com`, and the
 * base path at a domain of one's own. A gateway tells whole paths only, but also which of its routes matched: the
 * route's parts are the app's, those before them are not.
 */
export function addressOf(event: HttpEvent): Address {
  const parameters = event.pathParameters ?? {}
  if (!('rawPath' in event)) {
    const count = countParts(event.resource ?? event.path, parameters)
    // The one without the stage, the other with it.
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

/** HTTP API puts a stage with a name into the path even where a domain of one's own hides it from the client. */
function hidden(address: Address, stage: string | undefined, domainName: string | undefined): Address {
  const isHidden = address.basePath === `/${stage}` && !/\.execute-api\./.test(domainName ?? '')
  return isHidden ? { ...address, basePath: '' } : address
}

/** @param count of the parts at the end that are the app's */
function split(whole: string, count: number): Address {
  const before = countParts(whole, {}) - count
  return cut(whole, before > 0 ? (new RegExp(`^(?:/+[^/]+){${before}}`).exec(whole)?.[0].length ?? 0) : 0)
}

function cut(whole: string, length: number): Address {
  return { path: whole.slice(length) || '/', basePath: whole.slice(0, length) }
}

/** How many parts a path has, or a route with its parameters: `{proxy+}` stands for any number. */
function countParts(path: string, parameters: Readonly<Record<string, string | undefined>>): number {
  const parts = path.split('/').filter((part) => part !== '')
  return parts.reduce((sum, part) => {
    const greedy = /^\{(\w+)\+\}$/.exec(part)?.[1]
    return sum + (greedy === undefined ? 1 : countParts(parameters[greedy] ?? '', {}))
  }, 0)
}
