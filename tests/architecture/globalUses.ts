import { posix } from 'node:path'
import { isElement, isPureCore, isTest } from './places'
import { childOf, nameOf, type SyntaxNode, type Visit } from './syntax'
import type { Violation } from './violation'

const environmentReaders = ['compose.ts', 'main.ts', 'config.ts']
const timers = ['setTimeout', 'setInterval', 'setImmediate']

/** Globals that a file may not use where it lies: `process.env`, and what core takes as an argument. */
export function globalVisit(file: string, violations: Violation[]): Visit {
  const check = isPureCore(file) ? coreUse : isTest(file) ? undefined : environmentUse
  const hasTimers = isElement(file)
  const name = posix.basename(file)
  return (node, ancestors) => {
    const used = nameOf(node) ?? ''
    if (hasTimers && timers.includes(used)) return
    const found = check && isGlobal(node, ancestors.at(-1)) && check(used, ancestors, name)
    if (found) violations.push({ ...found, file, line: node.loc.start.line })
  }
}

type Finding = Pick<Violation, 'rule' | 'problem'> | undefined

function coreUse(name: string, ancestors: readonly SyntaxNode[]): Finding {
  const member = `${name}.${memberAfter(ancestors) ?? ''}`
  if (name === 'process') return { rule: 'globals', problem: 'core uses no process' }
  if (name === 'Buffer') return { rule: 'globals', problem: 'core uses Uint8Array, not Buffer' }
  if (isNow(name, ancestors) || member === 'Date.now' || member === 'performance.now')
    return { rule: 'globals', problem: 'time is an argument' }
  if (timers.includes(name) || member === 'AbortSignal.timeout')
    return { rule: 'globals', problem: 'timers come from the Clock port' }
  return member === 'Math.random' ? { rule: 'globals', problem: 'chance is an argument' } : undefined
}

/** `new Date()` and `new Date`; with an argument it converts a time. */
function isNow(name: string, ancestors: readonly SyntaxNode[]): boolean {
  const parent = ancestors.at(-1)
  if (name !== 'Date' || parent?.type !== 'NewExpression') return false
  return Array.isArray(parent.arguments) && parent.arguments.length === 0
}

function environmentUse(name: string, ancestors: readonly SyntaxNode[], fileName: string): Finding {
  if (name !== 'process' || environmentReaders.includes(fileName)) return undefined
  const owner = ownerOfMember(ancestors)
  // Taken whole (`const { env } = process`), by an optional or a computed name, it could be read anywhere.
  const isPlain = owner?.type === 'MemberExpression' && owner.computed === false && owner.optional !== true
  const isRead = !isPlain || nameOf(childOf(owner, 'property')) === 'env'
  return isRead
    ? { rule: 'environment', problem: 'only compose.ts, main.ts and config.ts read process.env' }
    : undefined
}

/** An identifier that is not a member of something else (`x.process`; `globalThis.process` counts) and not a key. */
function isGlobal(node: SyntaxNode, parent: SyntaxNode | undefined): boolean {
  if (node.type !== 'Identifier' || parent === undefined) return false
  if (isMember(parent) && childOf(parent, 'property') === node && parent.computed === false)
    return nameOf(childOf(parent, 'object')) === 'globalThis'
  const isKey =
    'key' in parent && parent.key === node && parent.computed !== true && parent.shorthand !== true
  return !isKey && !/^(Import|Export)\w*Specifier$/.test(parent.type)
}

/** `now` for the identifier `Date` in `Date.now`, and in `globalThis.Date.now`. */
function memberAfter(ancestors: readonly SyntaxNode[]): string | undefined {
  return nameOf(childOf(ownerOfMember(ancestors), 'property'))
}

/** The member expression whose object is the global. */
function ownerOfMember(ancestors: readonly SyntaxNode[]): SyntaxNode | undefined {
  const parent = ancestors.at(-1)
  if (!isMember(parent)) return undefined
  if (nameOf(childOf(parent, 'object')) !== 'globalThis') return parent
  const above = ancestors.at(-2)
  return isMember(above) ? above : undefined
}

function isMember(node: SyntaxNode | undefined): node is SyntaxNode {
  return node?.type === 'MemberExpression' || node?.type === 'OptionalMemberExpression'
}
