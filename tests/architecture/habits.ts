import { isTest } from './places'
import { childOf, type SyntaxNode, textOf, type Visit } from './syntax'
import type { Violation } from './violation'

/**
 * Two habits of style that defeat search, grouping spreads and abort listeners written by hand; and inputs of ffmpeg that are
 * not opened where each gets its list of decoders.
 */
export function habitVisit(file: string, violations: Violation[]): Visit {
  const add = (node: SyntaxNode, problem: string) =>
    violations.push({ rule: 'habits', file, line: node.loc.start.line, problem })
  return (node, ancestors) => {
    if (isGroupingSpread(node, ancestors.at(-1))) add(node, 'write properties one by one, not as ...{ a, b }')
    if (!isTest(file) && !file.startsWith('core/base/async/') && isAbortListener(node))
      add(node, 'abort listeners are in core/base/async: onAbort, raceSignal, untilAborted')
    if (!isTest(file) && file !== INPUTS && isInputOption(node))
      add(node, `inputs of ffmpeg are opened by ${INPUTS}, with a list of decoders`)
  }
}

const INPUTS = 'core/media/ffmpeg/ffmpegInput.ts'

/** `-i`, alone or among other words. */
function isInputOption(node: SyntaxNode): boolean {
  return /(?:^|\s)-i(?:\s|$)/.test(textOf(node) ?? '')
}

/** `...{ a, b }` directly inside an object literal. */
export function isGroupingSpread(node: SyntaxNode, parent: SyntaxNode | undefined): boolean {
  if (node.type !== 'SpreadElement' || parent?.type !== 'ObjectExpression') return false
  return childOf(node, 'argument')?.type === 'ObjectExpression'
}

/** `signal.addEventListener('abort', …)` */
export function isAbortListener(node: SyntaxNode): boolean {
  if (node.type !== 'CallExpression' && node.type !== 'OptionalCallExpression') return false
  const property = childOf(childOf(node, 'callee'), 'property')
  const [event] = Array.isArray(node.arguments) ? node.arguments : []
  return property?.name === 'addEventListener' && textOf(event) === 'abort'
}
