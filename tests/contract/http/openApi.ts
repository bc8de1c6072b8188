import { z } from 'zod'

/** An OpenAPI 3.1 document, as far as it is looked at. @see https://spec.openapis.org/oas/v3.1.0 */
export type OpenApi = {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string }
  readonly tags?: readonly { readonly name: string }[]
  readonly servers: readonly { readonly url: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, OpenApiSchema>>
    readonly securitySchemes: Readonly<Record<string, unknown>>
  }
}

export type OpenApiSchema = {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, OpenApiSchema>>
  readonly required?: readonly string[]
  readonly $ref?: string
}

type OpenApiOperation = {
  readonly summary?: string
  readonly operationId?: string
  readonly tags?: readonly string[]
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly schema?: OpenApiSchema
  }[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly description?: string; readonly content?: Content }>>
  readonly security?: readonly Readonly<Record<string, unknown>>[]
}

type Content = Readonly<Record<string, { readonly schema?: OpenApiSchema }>>

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

export function operationsOf({ paths }: OpenApi) {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]) => ({
        path,
        method: method.toUpperCase(),
        operation,
        statuses: Object.keys(operation.responses).map(Number),
      })),
  )
}

/** The names of the fields of a body; of one that may have several types, of each of them. */
export function fieldsOf({ components }: OpenApi, content: Content = {}): readonly string[] {
  const names = Object.values(content).flatMap(({ schema }) => {
    const named = schema?.$ref?.replace('#/components/schemas/', '')
    const { properties } = (named === undefined ? schema : components.schemas[named]) ?? {}
    return Object.keys(properties ?? {})
  })
  return [...new Set(names)]
}

/** What is wrong with a document by the rules of OpenAPI 3.1 that generators break; empty when nothing is. */
export function problemsOf(document: OpenApi): string[] {
  const { info, components } = document
  return [
    ...(info.title && info.version ? [] : ['info has no title or version']),
    ...operationsOf(document).flatMap(({ path, method, operation }) =>
      operationProblems(path, operation, components.securitySchemes).map(
        (text) => `${method} ${path}: ${text}`,
      ),
    ),
    ...nodeProblems(document, document, ''),
  ]
}

function operationProblems(
  path: string,
  { summary, parameters = [], requestBody, responses, security = [] }: OpenApiOperation,
  securitySchemes: Readonly<Record<string, unknown>>,
): string[] {
  const inTemplate = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
  const declared = parameters.filter((one) => one.in === 'path')
  return [
    ...(path.startsWith('/') ? [] : ['a path begins with a slash']),
    ...(summary ? [] : ['no summary']),
    ...inTemplate
      .filter((name) => !declared.some((one) => one.name === name))
      .map((name) => `${name} is undeclared`),
    ...declared
      .filter((one) => !inTemplate.includes(one.name))
      .map((one) => `${one.name} is not in the path`),
    ...declared.filter((one) => one.required !== true).map((one) => `${one.name} must be required`),
    ...parameters.filter((one) => !one.schema).map((one) => `${one.name} has no schema`),
    ...(requestBody && Object.keys(requestBody.content).length === 0 ? ['an empty request body'] : []),
    ...(Object.keys(responses).length === 0 ? ['no response'] : []),
    ...Object.entries(responses).flatMap(([status, { description }]) => [
      ...(/^[1-5]\d\d$/.test(status) ? [] : [`${status} is no status`]),
      ...(description ? [] : [`${status} has no description`]),
    ]),
    ...security.flatMap(Object.keys).filter((name) => !(name in securitySchemes)),
  ]
}

/** References lead somewhere, and nothing of 3.0 that JSON Schema 2020-12 does not know is left. */
function nodeProblems(node: unknown, document: OpenApi, at: string): string[] {
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([key, value]) => {
    const here = `${at}/${key}`
    if (key === '$ref') return resolves(document, String(value)) ? [] : [`${here} leads nowhere: ${value}`]
    if (key === 'nullable') return [`${here} is of 3.0`]
    if (/^exclusiveM(in|ax)imum$/.test(key) && typeof value === 'boolean') return [`${here} is of 3.0`]
    return nodeProblems(value, document, here)
  })
}

function resolves(document: unknown, reference: string): boolean {
  const steps = /^#\/(.+)$/.exec(reference)?.[1]?.split('/') ?? []
  const found = steps.reduce<unknown>(
    (node, step) => (typeof node === 'object' && node !== null ? Reflect.get(node, step) : undefined),
    document,
  )
  return steps.length > 0 && found !== undefined
}

/** Where a JSON value is not as an object schema of the document says: missing, unknown or mistyped fields. */
export function mismatches(value: Readonly<Record<string, unknown>>, schema: OpenApiSchema): string[] {
  const { properties = {}, required = [] } = schema
  return [
    ...required.filter((name) => !(name in value)).map((name) => `${name} is missing`),
    ...Object.entries(value).flatMap(([name, field]) => {
      const type = properties[name]?.type
      return type !== undefined && isOf(field, [type].flat())
        ? []
        : [`${name}=${JSON.stringify(field)} is not ${type}`]
    }),
  ]
}

/**
 * What is wrong with a JSON value by a schema that the document names, through all that it refers to; undefined when nothing is.
 * Fields that the schema does not name are wrong.
 */
export function problemBy({ components }: OpenApi, name: string, value: unknown): string | undefined {
  const named = { ...components.schemas[name], additionalProperties: false }
  const $defs = { ...components.schemas, [name]: named }
  const text = JSON.stringify({ $ref: `#/$defs/${name}`, $defs }).replaceAll(
    '#/components/schemas/',
    '#/$defs/',
  )
  const { error } = z.fromJSONSchema(JSON.parse(text)).safeParse(value)
  return error && z.prettifyError(error)
}

function isOf(value: unknown, types: readonly (string | undefined)[]): boolean {
  if (value === null) return types.includes('null')
  if (typeof value === 'number')
    return types.includes('number') || (Number.isInteger(value) && types.includes('integer'))
  return types.includes(typeof value)
}
