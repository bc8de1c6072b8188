import { type DirectOptions, startDirectHost } from '#support/hosts/directHost'
import type { Host } from '#support/hosts/hosts'
import { type Door, lambdaContext } from '#support/hosts/lambdaEvents'
import { invokeStreaming, lambdaRuntime } from '#support/hosts/lambdaRuntime'
import type { Settings } from '#support/process/serverProcess'
import type { HttpEvent } from '../../../handlers/host/address'
import type { BufferedResult } from '../../../handlers/host/buffered'
import { type HttpHandler, httpHandler } from '../../../handlers/host/httpHandler'

export type LambdaHostOptions = DirectOptions & {
  readonly door: Door
  readonly responseMode: 'stream' | 'buffer'
}

/** Sends requests as a door of Lambda does: as events, to a handler that streams or does not. */
export async function startLambdaHost(
  settings: Settings,
  { door, responseMode, ...machine }: LambdaHostOptions,
): Promise<Host> {
  const direct = await startDirectHost(settings, machine)
  const nowhere = () => undefined
  const log = { debug: nowhere, info: nowhere, warn: nowhere, error: nowhere, begin: nowhere }
  const handler = httpHandler({
    config: { isOffline: false, responseMode, maxResponseBytes: 4_500_000 },
    service: Promise.resolve({ app: direct.app, log, redirectLarge: async (given) => given }),
    startLog: () => log,
    runtime: lambdaRuntime,
  })
  const event = door({ method: 'GET', path: '/' })
  const base = ('rawPath' in event ? event.rawPath : event.requestContext.path).replace(/\/$/, '')
  return {
    dataDir: direct.dataDir,
    stop: direct.stop,
    url: `https://${event.requestContext.domainName}${base}`,
    async send(path, init) {
      const sent = new Request(`http://x${path}`, {
        ...init,
        ...(init?.body && { duplex: 'half' }),
      } as RequestInit)
      const body = new Uint8Array(await sent.arrayBuffer())
      return callHandler(
        handler,
        door({
          method: sent.method,
          // Paths of addresses that the app told begin with the stage.
          path: path.startsWith(`${base}/`) ? path.slice(base.length) : path,
          headers: [...sent.headers].filter(([name]) => name !== 'content-length'),
          ...(init?.body != null && { body }),
        }),
      )
    },
  }
}

/** Calls a handler and takes its result as the client would get it. */
async function callHandler(handler: HttpHandler, event: HttpEvent): Promise<Response> {
  const context = lambdaContext()
  if (Object.getOwnPropertySymbols(handler).length > 0) {
    const { statusCode, headers, body, brokenBy } = await invokeStreaming(handler, event, context)
    if (brokenBy !== undefined) throw brokenBy
    return response(statusCode, headers, body)
  }
  const buffered = handler as (...args: [HttpEvent, typeof context]) => Promise<BufferedResult>
  const result = await buffered(event, context)
  return response(
    result.statusCode,
    result.headers,
    Buffer.from(result.body, result.isBase64Encoded ? 'base64' : 'utf8'),
  )
}

function response(status: number, headers: Readonly<Record<string, string>>, body: Buffer): Response {
  const isEmpty = body.length === 0
  return new Response(isEmpty ? null : new Uint8Array(body), { status, headers })
}
