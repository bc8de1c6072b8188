import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { restApi } from '#support/hosts/lambdaEvents'
import type { Template } from '#support/hosts/serverlessPackage'
import { openPort } from '#support/process/openPort'
import type { PackagedFunctions } from './packagedFunctions'

// API Gateway as the packaged template describes it: its routes, its own answers, its limits.

const MAX_BODY_BYTES = 10 * 1024 * 1024
/** Of an event, and of an answer that is not streamed. */
const MAX_EVENT_BYTES = 6 * 1024 * 1024
const HEAD_TYPE = 'application/vnd.awslambda.http-integration-response'
const SEPARATOR = Buffer.alloc(8)
/** What a gateway does not pass on, or says itself. */
const NOT_PASSED = /^(host|connection|keep-alive|transfer-encoding|expect|te|upgrade|content-length)$/i

type Route = { readonly path: string; readonly functionName: string; readonly isStreamed: boolean }
type Head = { readonly statusCode: number; readonly headers: Readonly<Record<string, string>> }
type OwnAnswer = {
  readonly ResponseType: string
  readonly StatusCode?: string
  readonly ResponseTemplates: Readonly<Record<string, string>>
}

/** @returns the port where it listens */
export async function openGateway(functions: PackagedFunctions): Promise<{ port: number; close(): void }> {
  const routes = routesOf(functions.template)
  const own = new Map(
    functions.template
      .of('ApiGateway::GatewayResponse')
      .map(([, answer]) => [(answer as OwnAnswer).ResponseType, answer as OwnAnswer]),
  )
  const refuse = (response: ServerResponse, type: string, status: number) => {
    if (response.headersSent) return void response.destroy()
    const answer = own.get(type) ?? own.get(status < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX')
    response.writeHead(Number(answer?.StatusCode ?? status), { 'Content-Type': 'application/json' })
    response.end(answer?.ResponseTemplates['application/json'])
  }
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname } = new URL(request.url ?? '/', 'http://x')
    const body = await buffer(request)
    const route = routes.find(({ path }) => patternOf(path).test(pathname))
    if (!route) return refuse(response, 'MISSING_AUTHENTICATION_TOKEN', 403)
    const event = eventOf(request, route, body)
    const isTooLarge = body.length > MAX_BODY_BYTES || event.length > MAX_EVENT_BYTES
    if (isTooLarge) return refuse(response, 'REQUEST_TOO_LARGE', 413)
    const pass = route.isStreamed ? passStream : passWhole
    await functions.invoke(route.functionName, event, (answer) => pass(answer, response))
  }
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      console.error(`${request.method} ${request.url}: ${error}`)
      refuse(response, 'DEFAULT_5XX', 502)
    })
  })
  const port = await openPort(server)
  return {
    port,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** The most exact first. */
function routesOf(template: Template): readonly Route[] {
  const resources = template.Resources
  const pathOf = (id: string): string => {
    const { Type, Properties } = resources[id] ?? {}
    if (Type !== 'AWS::ApiGateway::Resource') return ''
    const { ParentId, PathPart } = Properties as { ParentId: { Ref?: string }; PathPart: string }
    return `${pathOf(ParentId.Ref ?? '')}/${PathPart}`
  }
  const routes = template.of('ApiGateway::Method').flatMap(([, properties]): Route[] => {
    const { Integration, ResourceId } = properties as {
      readonly Integration: { readonly Uri: unknown; readonly ResponseTransferMode?: string }
      readonly ResourceId: { readonly Ref?: string }
    }
    const [, functionName] = /"(\w+LambdaFunction)"/.exec(JSON.stringify(Integration.Uri)) ?? []
    if (functionName === undefined) return []
    const isStreamed = Integration.ResponseTransferMode === 'STREAM'
    return [{ path: pathOf(ResourceId.Ref ?? '') || '/', functionName, isStreamed }]
  })
  const parameters = ({ path }: Route) => (path.match(/\{/g)?.length ?? 0) + (path.includes('+}') ? 100 : 0)
  return routes.toSorted((a, b) => parameters(a) - parameters(b))
}

function patternOf(route: string): RegExp {
  return new RegExp(`^${route.replace(/\{\w+\+\}/, '.+').replaceAll(/\{\w+\}/g, '[^/]+')}/?$`)
}

function eventOf(request: IncomingMessage, { path: route }: Route, body: Buffer): string {
  const { method = '', url: path = '', rawHeaders } = request
  const headers = rawHeaders.flatMap((name, index): [string, string][] =>
    index % 2 === 0 && !NOT_PASSED.test(name) ? [[name, rawHeaders[index + 1] ?? '']] : [],
  )
  return JSON.stringify(restApi({ method, path, route, headers, ...(body.length > 0 && { body }) }))
}

/** Sends on what comes, as it comes. */
async function passStream(answer: IncomingMessage, response: ServerResponse): Promise<void> {
  if (!String(answer.headers['content-type']).startsWith(HEAD_TYPE))
    throw new Error(`The function does not stream: ${await buffer(answer)}`)
  let head: Buffer | undefined = Buffer.alloc(0)
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    if (!head) {
      write(response, chunk)
      continue
    }
    head = Buffer.concat([head, chunk])
    const at = head.indexOf(SEPARATOR)
    if (at < 0) continue
    const { statusCode, headers }: Head = JSON.parse(head.toString('utf8', 0, at))
    response.writeHead(statusCode, headers)
    write(response, head.subarray(at + SEPARATOR.length))
    head = undefined
  }
  const broken = answer.trailers['lambda-runtime-function-error-type']
  if (head || broken !== undefined) throw new Error(`The answer is not whole: ${broken}`)
  response.end()
}

/** A client that has left takes nothing, and the function does not hear of it. */
function write(response: ServerResponse, chunk: Buffer): void {
  if (chunk.length > 0 && !response.destroyed) response.write(chunk)
  else if (!response.destroyed) response.flushHeaders()
}

async function passWhole(answer: IncomingMessage, response: ServerResponse): Promise<void> {
  const bytes = await buffer(answer)
  if (bytes.length > MAX_EVENT_BYTES) throw new Error(`An answer of ${bytes.length} bytes cannot be passed.`)
  const { statusCode, headers, body, isBase64Encoded }: Head & { body: string; isBase64Encoded: boolean } =
    JSON.parse(bytes.toString())
  response.writeHead(statusCode, headers)
  response.end(Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'))
}
