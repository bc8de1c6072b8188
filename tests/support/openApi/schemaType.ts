/** A JSON schema of an OpenAPI 3.1 document, as far as the services use it. */
export type JsonSchema = {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | JsonSchema
  readonly items?: JsonSchema
  readonly oneOf?: readonly JsonSchema[]
  readonly anyOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  readonly $ref?: string
}

/** The TypeScript type of the values that a schema describes. */
export function schemaType(schema: JsonSchema | undefined): string {
  if (!schema) return 'unknown'
  const { $ref, allOf } = schema
  if ($ref !== undefined) return `Schemas[${JSON.stringify($ref.split('/').at(-1))}]`
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const choices = schema.oneOf ?? schema.anyOf
  if (choices) return choices.map((one) => `(${schemaType(one)})`).join(' | ')
  if (allOf) return allOf.map((one) => `(${schemaType(one)})`).join(' & ')
  const types = [schema.type ?? (schema.properties ? 'object' : undefined)].flat()
  return types.map((type) => plainType(type, schema)).join(' | ')
}

function plainType(type: string | undefined, schema: JsonSchema): string {
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'boolean' || type === 'null') return type
  if (type === 'string') return schema.format === 'binary' ? 'Blob' : 'string'
  if (type === 'array') return `readonly (${schemaType(schema.items)})[]`
  if (type === 'object') return objectType(schema)
  return 'unknown'
}

/** @param isRequired of each property; a schema's own list by default */
export function objectType({ properties = {}, required = [], additionalProperties }: JsonSchema): string {
  const fields = Object.entries(properties).map(
    ([name, field]) => `${JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${schemaType(field)}`,
  )
  const others =
    typeof additionalProperties === 'object' ? [`[name: string]: ${schemaType(additionalProperties)}`] : []
  return fields.length + others.length === 0
    ? 'Record<string, unknown>'
    : `{ ${[...fields, ...others].join('; ')} }`
}
