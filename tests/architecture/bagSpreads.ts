import { childOf, nameOf, parseSource, type SyntaxNode, walkSyntax } from './syntax'

/**
 * What a function or a class is given to work with: by its name. Copies of values (`...track`, `...region`) are no bags, nor are arrays.
 */
const BAG =
  /(?:options|dependencies|parts|shared|tasks?|tools|settings|config|host|surroundings|context|caller|preparing|checks)$/i

/**
 * Spreads of such a bag into an object, which is then handed to a call or kept as another bag: whoever reads that cannot tell what the
 * callee uses. `...options`, `...this.#options` and `...shared.config` count; `...composeUploads(shared)` counts by the name of what is called.
 * @returns `file:line ...options` for each
 */
export function bagSpreads(file: string, source: string): string[] {
  const found: string[] = []
  walkSyntax(parseSource(file, source), (node, ancestors) => {
    if (node.type !== 'SpreadElement' || ancestors.at(-1)?.type !== 'ObjectExpression') return
    const bag = lastName(childOf(node, 'argument'))
    if (BAG.test(bag) || /^compose[A-Z]/.test(bag)) found.push(`${file}:${node.loc.start.line} ...${bag}`)
  })
  return found
}

/** Of `options`, `this.#options`, `a.b.options` and `options()`. */
function lastName(node: SyntaxNode | undefined): string {
  if (node?.type === 'CallExpression') return lastName(childOf(node, 'callee'))
  const property = childOf(node, 'property') ?? node
  return nameOf(property?.type === 'PrivateName' ? childOf(property, 'id') : property) ?? ''
}
