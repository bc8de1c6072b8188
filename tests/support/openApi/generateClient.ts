import { type JsonSchema, objectType, schemaType } from './schemaType'

type Content = Readonly<Record<string, { readonly schema?: JsonSchema }>>

type Operation = {
  readonly operationId?: string
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly schema?: JsonSchema
  }[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

export type ApiDocument = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components?: { readonly schemas?: Readonly<Record<string, JsonSchema>> }
}

const METHODS = ['get', 'head', 'put', 'post', 'delete', 'patch']

/**
 * A TypeScript client of a service: the type of each operation's input and of each answer by its status, and one function that
 * sends them. `client.call('getPreview', { path: { session_id } })`.
 * @returns a module without imports
 */
export function generateClient(document: ApiDocument): string {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  const id = ({ operationId }: Operation) => JSON.stringify(operationId)
  const schemas = Object.entries(document.components?.schemas ?? {})
  return [
    'export interface Schemas {',
    ...schemas.map(([name, schema]) => `  ${JSON.stringify(name)}: ${schemaType(schema)}`),
    '}',
    'export interface Operations {',
    ...operations.map(
      ({ operation }) =>
        `  ${id(operation)}: { input: ${inputType(operation)}; output: ${outputType(operation)} }`,
    ),
    '}',
    'const ROUTES: Readonly<Record<keyof Operations, readonly [method: string, path: string]>> = {',
    ...operations.map(
      ({ path, method, operation }) => `  ${id(operation)}: ['${method}', ${JSON.stringify(path)}],`,
    ),
    '}',
    RUNTIME,
  ].join('\n')
}

function inputType({ parameters = [], requestBody }: Operation): string {
  const groups = ['path', 'query', 'header'].flatMap((place) => {
    const members = parameters.filter((parameter) => parameter.in === place)
    if (members.length === 0) return []
    const required = members.filter((member) => member.required).map(({ name }) => name)
    const properties = Object.fromEntries(members.map(({ name, schema }) => [name, schema ?? {}]))
    return [`${place}${required.length > 0 ? '' : '?'}: ${objectType({ properties, required })}`]
  })
  const bodies = Object.entries(requestBody?.content ?? {}).map(
    ([type, { schema }]) =>
      `{ ${BODY_NAMES[type] ?? 'bytes'}: ${BODY_NAMES[type] ? schemaType(schema) : 'Blob'} }`,
  )
  const body = bodies.length === 0 ? [] : [`(${bodies.join(' | ')})`]
  return [`{ ${[...groups, 'signal?: AbortSignal'].join('; ')} }`, ...body].join(' & ')
}

const BODY_NAMES: Readonly<Record<string, string>> = {
  'application/json': 'json',
  'multipart/form-data': 'form',
  'application/x-www-form-urlencoded': 'urlencoded',
}

function outputType({ responses }: Operation): string {
  return Object.entries(responses)
    .map(([status, { content = {} }]) => {
      const bodies = Object.entries(content).map(([type, { schema }]) => answerType(type, schema))
      return `{ status: ${status}; headers: Headers; body: ${[...new Set(bodies)].join(' | ') || 'undefined'} }`
    })
    .join(' | ')
}

function answerType(type: string, schema: JsonSchema | undefined): string {
  if (type === 'application/json') return schemaType(schema)
  return type.startsWith('text/') ? 'string' : 'Blob'
}

/** Part of every client: what sends a request. */
const RUNTIME = `
export type Client = {
  call<Id extends keyof Operations>(id: Id, input: Operations[Id]['input']): Promise<Operations[Id]['output']>
}

type Fields = Readonly<Record<string, unknown>>
type Input = {
  readonly path?: Fields
  readonly query?: Fields
  readonly header?: Fields
  readonly json?: unknown
  readonly form?: Fields
  readonly urlencoded?: Fields
  readonly bytes?: Blob
  readonly signal?: AbortSignal
}

export function createClient(service: { readonly url: string; readonly token?: string }): Client {
  return {
    async call(id, given) {
      const input: Input = given
      const [method, template] = ROUTES[id]
      const path = template.replace(/{(\\w+)}/g, (_, name) => encodeURIComponent(String(input.path?.[name])))
      const query = new URLSearchParams(pairs(input.query)).toString()
      const headers = new Headers(pairs(input.header))
      if (service.token !== undefined) headers.set('Authorization', 'Bearer ' + service.token)
      if (input.json !== undefined) headers.set('Content-Type', 'application/json')
      const body = bodyOf(input)
      const signal = input.signal ?? null
      const address = service.url + path + (query === '' ? '' : '?' + query)
      const response = await fetch(address, { method, headers, body, signal })
      const answer = { status: response.status, headers: response.headers, body: await read(response) }
      return answer as Operations[typeof id]['output']
    },
  }
}

function bodyOf({ json, form, urlencoded, bytes }: Input): BodyInit | null {
  if (json !== undefined) return JSON.stringify(json)
  if (urlencoded) return new URLSearchParams(pairs(urlencoded))
  if (!form) return bytes ?? null
  const data = new FormData()
  for (const [name, value] of Object.entries(form))
    if (value instanceof Blob) data.append(name, value)
    else if (value !== undefined) data.append(name, String(value))
  return data
}

function pairs(fields: Fields = {}): [string, string][] {
  return Object.entries(fields).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  )
}

async function read(response: Response): Promise<unknown> {
  const type = response.headers.get('Content-Type') ?? ''
  if (response.body === null || type === '') return undefined
  if (type.startsWith('application/json')) return response.json()
  return type.startsWith('text/') ? response.text() : response.blob()
}
`
