import { type OpenApi, operationsOf } from './openApi'

/**
 * What keeps generators of clients from reading a document, or makes them write clients that do not compile or send what the service
 * does not take. Each rule has been seen to break at least one of openapi-generator, openapi-python-client, hey-api and
 * openapi-typescript.
 * @returns one line for each problem; none when every generator can read the document
 */
export function generatorProblems(document: OpenApi): string[] {
  const license = 'license' in document.info ? ['info.license: openapi-generator wants its identifier'] : []
  return [...license, ...operationsOf(document).flatMap(operationProblems), ...nodeProblems(document, '#')]
}

type Operation = ReturnType<typeof operationsOf>[number]

function operationProblems({ path, method, operation, statuses }: Operation): string[] {
  const { operationId = '', requestBody, responses } = operation
  const bodyTypes = Object.keys(requestBody?.content ?? {})
  const successes = statuses.filter((status) => status >= 200 && status < 300)
  const records = Object.values(responses).map(({ content = {} }) => Object.keys(content))
  const problems = [
    ...(/^[a-z][A-Za-z0-9]*$/.test(operationId) ? [] : [`operationId "${operationId}" is no plain name`]),
    ...(bodyTypes.length > 1 ? [`takes ${bodyTypes.join(', ')}: a generator chooses one as it likes`] : []),
    ...(bodyTypes.some((type) => type.includes('*')) ? ['takes any type: no client knows what to send'] : []),
    // A part of a file is what the client asked for by `Range`.
    ...(successes.filter((status) => status !== 206).length > 1 ? [`succeeds as ${successes}`] : []),
    ...(records.some((types) => types.includes('text/event-stream')) ? ['answers with a stream'] : []),
  ]
  return problems.map((problem) => `${method} ${path}: ${problem}`)
}

function nodeProblems(node: unknown, at: string): string[] {
  if (typeof node !== 'object' || node === null) return []
  const { enum: words, const: word, properties } = node as Readonly<Record<string, unknown>>
  const choices = [words, word].flat().filter((choice) => typeof choice === 'number')
  return [
    ...(choices.length > 0 ? [`${at}: a number of ${choices}: name it in words, or take any number`] : []),
    ...(isSchema(node) && properties ? twins(Object.keys(properties), at) : []),
    ...Object.entries(node).flatMap(([key, value]) => nodeProblems(value, `${at}/${key}`)),
  ]
}

/** A property may be called "properties". */
function isSchema(node: object): boolean {
  return 'type' in node && 'properties' in node && typeof node.properties === 'object'
}

/** Java, Kotlin and Python write names in a style of their own, and have one for `profileIndex` and `profile_index`. */
function twins(names: readonly string[], at: string): string[] {
  const plain = (name: string) => name.toLowerCase().replaceAll('_', '')
  return names
    .filter((name, index) => names.findIndex((other) => plain(other) === plain(name)) < index)
    .map((name) => `${at}: ${name} is nearly the name of another property`)
}
