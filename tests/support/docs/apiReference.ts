/** The parts of an OpenAPI document that a reference page shows. */
export type ApiDocument = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> }
}

type Operation = {
  readonly summary?: string
  readonly description?: string
  readonly parameters?: readonly {
    readonly name: string
    readonly required?: boolean
    readonly description?: string
    readonly schema?: Schema
  }[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly description?: string; readonly content?: Content }>>
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>

type Schema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly additionalProperties?: boolean | Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
}

/** An answer that so many requests have in the same words is described once. */
const COMMON = 5

/**
 * The requests of a service with their fields and answers, then the records that they use.
 * @param document as the service serves it at `/openapi.json`
 * @returns Markdown
 */
export function renderApiReference(document: ApiDocument): string {
  const requests = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      // A HEAD request has the headers of the GET request and no body.
      .filter(([method]) => method !== 'head')
      .map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
  )
  const common = commonAnswers(requests.map(({ operation }) => operation))
  const operations = requests.map(({ name, operation }) => renderOperation(name, operation, common))
  const records = Object.entries(document.components?.schemas ?? {}).map(
    ([name, schema]) => `### ${name}\n\n${renderRecord(schema)}`,
  )
  return [
    '## Requests',
    'Where a request names only the status of an answer, that answer means:',
    [...common]
      .sort()
      .map((answer) => `- ${answer}`)
      .join('\n'),
    ...operations,
    '## Records',
    ...records,
  ].join('\n\n')
}

function commonAnswers(operations: readonly Operation[]): ReadonlySet<string> {
  const counts = new Map<string, number>()
  for (const answer of operations.flatMap(answersOf)) counts.set(answer, (counts.get(answer) ?? 0) + 1)
  return new Set(
    [...counts]
      .filter(([answer, count]) => count >= COMMON && !answer.startsWith('2'))
      .map(([answer]) => answer),
  )
}

function answersOf({ responses }: Operation): readonly string[] {
  return Object.entries(responses).map(
    ([status, response]) => `${status}: ${response.description ?? ''}${typesOf(response.content)}`,
  )
}

function renderOperation(name: string, operation: Operation, common: ReadonlySet<string>): string {
  const { summary, description, parameters = [], requestBody } = operation
  const answers = answersOf(operation)
  const others = answers.filter((answer) => common.has(answer)).map((answer) => answer.slice(0, 3))
  const fields = parameters.map(
    ({ name: field, required, schema = {}, description: says = schema.description }) =>
      row(field, { ...schema, ...(says === undefined ? {} : { description: says }) }, required === true),
  )
  return [
    `### \`${name}\``,
    [summary, description]
      .filter(Boolean)
      .map((text) => sentence(text ?? ''))
      .join(' '),
    ...(fields.length > 0 ? [table(fields)] : []),
    ...renderBodies(requestBody?.content ?? {}),
    [
      ...answers.filter((answer) => !common.has(answer)).map((answer) => `- ${answer}`),
      ...(others.length > 0 ? [`- ${others.join(', ')}`] : []),
    ].join('\n'),
  ].join('\n\n')
}

/** Bodies of several types with the same fields are shown once. */
function renderBodies(content: Content): readonly string[] {
  const types = new Map<string, string[]>()
  for (const [type, { schema = {} }] of Object.entries(content)) {
    const text = schema.$ref === undefined ? renderRecord(schema) : typeOf(schema)
    types.set(text, [...(types.get(text) ?? []), `\`${type}\``])
  }
  return [...types].map(
    ([text, names]) => `Body, ${names.join(' or ')}:${text.startsWith('|') ? '\n\n' : ' '}${text}`,
  )
}

function typesOf(content: Content = {}): string {
  const types = Object.entries(content)
    .filter(([, { schema }]) => schema?.$ref !== '#/components/schemas/Error')
    .map(([type, { schema }]) => (schema?.$ref === undefined ? `\`${type}\`` : typeOf(schema)))
  return types.length === 0 ? '' : ` (${types.join(', ')})`
}

function renderRecord(schema: Schema): string {
  const { properties, required = [], description } = schema
  if (properties === undefined) return [typeOf(schema), description].filter(Boolean).join(': ')
  const rows = Object.entries(properties).map(([name, field]) => row(name, field, required.includes(name)))
  return [...(description === undefined ? [] : [description, '']), table(rows)].join('\n')
}

function table(rows: readonly string[]): string {
  return ['| field | type | |', '|---|---|---|', ...rows].join('\n')
}

function row(name: string, schema: Schema, isRequired: boolean): string {
  const says = [
    schema.description,
    schema.default === undefined ? undefined : `Default: \`${JSON.stringify(schema.default)}\`.`,
  ]
  const optional = isRequired || schema.default !== undefined ? '' : ', optional'
  return `| \`${name}\` | ${cell(typeOf(schema))}${optional} | ${cell(says.filter(Boolean).join(' '))} |`
}

function typeOf(schema: Schema): string {
  const { $ref, type, items, additionalProperties, enum: values } = schema
  if ($ref !== undefined) {
    const name = $ref.split('/').at(-1) ?? ''
    return `[${name}](#${name.toLowerCase()})`
  }
  const options = schema.anyOf ?? schema.oneOf ?? schema.allOf
  if (options !== undefined) return options.map(typeOf).join(' or ')
  if (values !== undefined) return values.map((value) => `\`${String(value)}\``).join(', ')
  if (items !== undefined) return `list of ${typeOf(items)}`
  if (typeof additionalProperties === 'object') return `map of ${typeOf(additionalProperties)}`
  if (type === undefined) return 'any'
  return typeof type === 'string' ? type : type.join(' or ')
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ')
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
