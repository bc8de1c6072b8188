import { posix } from 'node:path'
import { isPureCore, isTest } from './places'
import type { Token } from './tokenize'
import type { Violation } from './violation'

const environmentReaders = ['compose.ts', 'main.ts', 'config.ts']

/** Globals that a file may not use where it lies: rule 5 on `process.env`, and what core takes as an argument. */
export function globalUses(file: string, tokens: readonly Token[]): Violation[] {
  const check = isPureCore(file) ? coreUse : isTest(file) ? undefined : environmentUse
  if (!check) return []
  return tokens.flatMap((token, index) => {
    if (token.kind !== 'word' || !isGlobal(tokens, index)) return []
    const found = check(textsFrom(tokens, index), tokens[index - 1]?.text, posix.basename(file))
    return found === undefined ? [] : [{ ...found, file, line: token.line }]
  })
}

type Finding = Pick<Violation, 'rule' | 'problem'> | undefined

function coreUse(texts: readonly string[], before: string | undefined): Finding {
  const [name, second, third] = texts
  const member = `${name}${second}${third}`
  if (name === 'process') return { rule: 'globals', problem: 'core uses no process' }
  if (name === 'Buffer') return { rule: 'globals', problem: 'core uses Uint8Array, not Buffer' }
  const isNow = name === 'Date' && before === 'new' && (second !== '(' || third === ')')
  if (isNow || member === 'Date.now' || member === 'performance.now')
    return { rule: 'globals', problem: 'time is an argument' }
  return member === 'Math.random' ? { rule: 'globals', problem: 'chance is an argument' } : undefined
}

function environmentUse(texts: readonly string[], before: string | undefined, fileName: string): Finding {
  const [name, second, third] = texts
  if (name !== 'process' || environmentReaders.includes(fileName)) return undefined
  // Taken whole (`const { env } = process`) or by a computed name, it could be read anywhere.
  const isRead = (second === '.' && third === 'env') || second === '?' || second === '['
  const isWhole = ['=', '(', ',', ':', 'return'].includes(before ?? '') && second !== '.'
  return isRead || isWhole
    ? { rule: 5, problem: 'only compose.ts, main.ts and config.ts read process.env' }
    : undefined
}

/** Not a member of something else (`x.process`, but `globalThis.process` counts) and not a key (`process: …`). */
function isGlobal(tokens: readonly Token[], index: number): boolean {
  const isMember = tokens[index - 1]?.text === '.' && tokens[index - 2]?.text !== 'globalThis'
  return !isMember && tokens[index + 1]?.text !== ':'
}

function textsFrom(tokens: readonly Token[], index: number): string[] {
  return tokens.slice(index, index + 3).map(({ text }) => text)
}
