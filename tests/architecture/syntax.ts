import { type ParserPlugin, parse } from '@babel/parser'

/** A node of a syntax tree as `@babel/parser` makes it: `type`, where it starts, and properties by its type. */
export type SyntaxNode = {
  readonly type: string
  readonly loc: { readonly start: { readonly line: number }; readonly end: { readonly line: number } }
  readonly [property: string]: unknown
}

/** @throws SyntaxError with the place */
export function parseSource(file: string, source: string): SyntaxNode {
  const plugins: ParserPlugin[] = /\.tsx?$/.test(file) ? ['typescript'] : []
  if (file.endsWith('x')) plugins.push('jsx')
  const { program } = parse(source, {
    sourceType: 'module',
    plugins,
    errorRecovery: true,
    attachComment: false,
  })
  return program as unknown as SyntaxNode
}

/** @param ancestors the nodes above it, the nearest one last, in an array that is valid during the call only */
export type Visit = (node: SyntaxNode, ancestors: readonly SyntaxNode[]) => void

/** Visits a node and all below it, parents first. */
export function walkSyntax(node: SyntaxNode, visit: Visit, ancestors: SyntaxNode[] = []): void {
  visit(node, ancestors)
  ancestors.push(node)
  for (const property in node) {
    const value = node[property]
    if (Array.isArray(value)) {
      for (const child of value) if (isSyntaxNode(child)) walkSyntax(child, visit, ancestors)
    } else if (isSyntaxNode(value)) walkSyntax(value, visit, ancestors)
  }
  ancestors.pop()
}

/** The node in a property, or undefined when there is none. */
export function childOf(node: SyntaxNode | undefined, property: string): SyntaxNode | undefined {
  const child = node?.[property]
  return isSyntaxNode(child) ? child : undefined
}

/** The name of an identifier. */
export function nameOf(node: SyntaxNode | undefined): string | undefined {
  return node?.type === 'Identifier' ? String(node.name) : undefined
}

/** The text of a string literal, or of a template without expressions. */
export function textOf(node: SyntaxNode | undefined): string | undefined {
  if (node?.type === 'StringLiteral') return String(node.value)
  if (node?.type !== 'TemplateLiteral' || !Array.isArray(node.quasis) || node.quasis.length !== 1)
    return undefined
  return String(node.quasis[0].value.cooked)
}

function isSyntaxNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'loc' in value
}
