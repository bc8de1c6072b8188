import { type Token, tokenize } from './tokenize'

export type Import = {
  /** As written. Undefined when it is computed: `import(name)`. */
  readonly specifier: string | undefined
  readonly line: number
}

/**
 * Every module that a TypeScript source names: `import … from`, `import type`, `import '…'`, `export … from`,
 * `import('…')` as a value and as a type, `require('…')`.
 */
export function scanImports(source: string): Import[] {
  return importsOf(tokenize(source))
}

export function importsOf(tokens: readonly Token[]): Import[] {
  return tokens.flatMap((token, index) => {
    if (token.kind !== 'word' || tokens[index - 1]?.text === '.') return []
    if (token.text === 'import') return importAt(tokens, index)
    if (token.text === 'export') return reexportAt(tokens, index)
    if (token.text === 'require' && isPunctuation(tokens[index + 1], '(')) return called(tokens, index)
    return []
  })
}

function importAt(tokens: readonly Token[], index: number): Import[] {
  const next = tokens[index + 1]
  if (next?.kind === 'string') return [named(next)]
  if (isPunctuation(next, '(')) return called(tokens, index)
  const opensClause = next?.kind === 'word' || isPunctuation(next, '{') || isPunctuation(next, '*')
  return opensClause ? from(tokens, index) : []
}

function reexportAt(tokens: readonly Token[], index: number): Import[] {
  const clause = tokens[index + 1]?.text === 'type' ? index + 2 : index + 1
  if (isPunctuation(tokens[clause], '*')) return from(tokens, index)
  if (!isPunctuation(tokens[clause], '{')) return []
  const close = tokens.findIndex((token, at) => at > clause && isPunctuation(token, '}'))
  return tokens[close + 1]?.text === 'from' ? from(tokens, close) : []
}

/** The first `from '…'` after `index`; a binding called `from` is followed by no string. */
function from(tokens: readonly Token[], index: number): Import[] {
  const at = tokens.findIndex(
    (token, position) =>
      position > index &&
      token.kind === 'word' &&
      token.text === 'from' &&
      tokens[position + 1]?.kind === 'string',
  )
  const specifier = tokens[at + 1]
  return at < 0 || specifier === undefined ? [] : [named(specifier)]
}

function called(tokens: readonly Token[], index: number): Import[] {
  const argument = tokens[index + 2]
  const end = tokens[index + 3]
  const isPlain = argument?.kind === 'string' && (isPunctuation(end, ')') || isPunctuation(end, ','))
  return isPlain ? [named(argument)] : [{ specifier: undefined, line: tokens[index]?.line ?? 0 }]
}

function named({ text, line }: Token): Import {
  return { specifier: text, line }
}

function isPunctuation(token: Token | undefined, text: string): boolean {
  return token?.kind === 'punctuation' && token.text === text
}
