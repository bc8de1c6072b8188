import { posix } from 'node:path'
import { childOf, nameOf, parseSource, type SyntaxNode, textOf } from './syntax'

/** A name that an entry of a package exports. */
export type FaceName = {
  readonly name: string
  /** The file that declares it, as far as the entry tells; the entry itself for its own declarations and those of other packages. */
  readonly file: string
}

/**
 * What an entry of a package exports, sorted by name.
 * @param file of the entry, in the tree
 * @throws Error for `export *`, which names nothing
 */
export function faceNames(file: string, source: string): readonly FaceName[] {
  const found = listOf(parseSource(file, source), 'body').flatMap((statement) => {
    if (statement.type === 'ExportAllDeclaration') throw new Error(`${file}: export * names nothing`)
    if (statement.type !== 'ExportNamedDeclaration') return []
    const from = textOf(childOf(statement, 'source'))
    // What another package declares is looked at in the lists of that one.
    const declaring = !from?.startsWith('.') ? file : `${posix.join(posix.dirname(file), from)}.ts`
    const specified = listOf(statement, 'specifiers').map((one) => childOf(one, 'exported'))
    const declared = declaredIn(childOf(statement, 'declaration'))
    return [...specified, ...declared].flatMap((node) => {
      const name = nameOf(node)
      return name === undefined ? [] : [{ name, file: declaring }]
    })
  })
  return found.sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** Whether this file declares a function of this name that has no `@example` in its comment. */
export function lacksExample(name: string, source: string): boolean {
  const declaration = new RegExp(`^export (?:async )?function\\*? ?${name}\\b`, 'm').exec(source)
  if (!declaration) return false
  const before = source.slice(0, declaration.index)
  const comment = /\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*$/.exec(before)?.[0] ?? ''
  return !comment.includes('@example')
}

function declaredIn(declaration: SyntaxNode | undefined): readonly (SyntaxNode | undefined)[] {
  if (declaration === undefined) return []
  const variables = listOf(declaration, 'declarations')
  return variables.length > 0 ? variables.map((one) => childOf(one, 'id')) : [childOf(declaration, 'id')]
}

function listOf(node: SyntaxNode, property: string): readonly SyntaxNode[] {
  const list = node[property]
  return Array.isArray(list) ? list : []
}
