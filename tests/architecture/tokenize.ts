export type Token = {
  readonly kind: 'word' | 'string' | 'punctuation'
  /** A string's content without its quotes; one character of punctuation. */
  readonly text: string
  /** From 1. */
  readonly line: number
}

/**
 * Cuts TypeScript into words, strings and punctuation. Comments are left out. Of a
 * template, the text is a string when nothing is put into it; what is put into it becomes tokens.
 */
export function tokenize(source: string): Token[] {
  const tokens: Token[] = []
  // For every open `${`, how many braces are open inside it.
  const templates: number[] = []
  let at = 0
  let line = 1
  const push = (kind: Token['kind'], text: string) => void tokens.push({ kind, text, line })

  while (at < source.length) {
    const rest = sticky(source, at)
    const space = rest(/\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\//y)
    const word = space === undefined ? rest(/[\p{ID_Start}$_][\p{ID_Continue}$]*/uy) : undefined
    const quoted = rest(/'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"/y)
    const number = rest(/\d[\w.]*/y)
    const character = source[at] ?? ''
    if (space !== undefined) take(space)
    else if (word !== undefined) {
      push('word', word)
      take(word)
    } else if (quoted !== undefined) {
      push('string', quoted.slice(1, -1))
      take(quoted)
    } else if (number !== undefined) {
      push('word', number)
      take(number)
    } else if (character === '`') template()
    else if (character === '/' && startsExpression(tokens.at(-1))) {
      take(rest(/\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y) ?? character)
      // Stands for the expression, so that a `/` after it divides.
      push('punctuation', ')')
    } else if (character === '}' && templates.at(-1) === 0) {
      templates.pop()
      template()
    } else {
      const open = templates.length - 1
      if (open >= 0 && character === '{') templates[open] = (templates[open] ?? 0) + 1
      if (open >= 0 && character === '}') templates[open] = (templates[open] ?? 0) - 1
      push('punctuation', character)
      take(character)
    }
  }
  return tokens

  function take(text: string): void {
    at += text.length
    line += text.split('\n').length - 1
  }

  /** From a backtick, or from the brace that closes `${`, to the next `${` or the end of the template. */
  function template(): void {
    const part = sticky(source, at)(/[`}](?:\\[\s\S]|\$(?!\{)|[^`\\$])*(?:`|\$\{)/y) ?? source.slice(at)
    if (part.startsWith('`') && part.endsWith('`')) push('string', part.slice(1, -1))
    take(part)
    if (part.endsWith('${')) {
      push('punctuation', '+')
      templates.push(0)
    } else if (!part.startsWith('`')) push('punctuation', ')')
  }
}

function sticky(source: string, at: number): (pattern: RegExp) => string | undefined {
  return (pattern) => {
    pattern.lastIndex = at
    return pattern.exec(source)?.[0]
  }
}

const wordsBeforeExpression = new Set(
  'return typeof case in of delete void throw new else do await yield'.split(' '),
)

function startsExpression(previous: Token | undefined): boolean {
  if (previous === undefined) return true
  if (previous.kind === 'word') return wordsBeforeExpression.has(previous.text)
  return previous.kind === 'punctuation' && !')]}'.includes(previous.text)
}
