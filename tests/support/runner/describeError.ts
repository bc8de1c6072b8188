import { inspect } from 'node:util'

const maxDetailLines = 120
const maxDetailLength = 12_000

/**
 * A failure as text: message, uvu's diff, stack without the frames of Node and of this harness, causes.
 * @param root absolute path that is left out of the stack's file names
 */
export function describeError(error: unknown, root: string): string {
  return tidy(
    isAssertion(error)
      ? describeAssertion(error)
      : inspect(error, { depth: 4, maxArrayLength: 32, maxStringLength: 4_000 }),
    root,
  )
}

type Assertion = Error & { readonly details?: unknown; readonly operator?: unknown }

function isAssertion(error: unknown): error is Assertion {
  return error instanceof Error && 'code' in error && error.code === 'ERR_ASSERTION' && 'expects' in error
}

function describeAssertion(error: Assertion): string {
  const operator = typeof error.operator === 'string' ? ` (${error.operator})` : ''
  const details = typeof error.details === 'string' ? `\n${shorten(error.details)}` : ''
  const frames = (error.stack ?? '').split('\n').filter((line) => line.startsWith('    at '))
  return [`${error.message}${operator}${details}`, ...frames].join('\n')
}

function shorten(details: string): string {
  const lines = details.trimEnd().slice(0, maxDetailLength).split('\n')
  const left = details.trimEnd().split('\n').length - maxDetailLines
  return left > 0 ? [...lines.slice(0, maxDetailLines), `… ${left} more lines`].join('\n') : lines.join('\n')
}

function tidy(text: string, root: string): string {
  const isNoise = (line: string) =>
    /^\s+at .*(node:internal|node_modules\/uvu\/|tests\/support\/(runSuite|worker)\.ts)/.test(line)
  return (
    text
      .split('\n')
      // `inspect` opens the block of an error's own properties at the end of its last frame.
      .flatMap((line) => (isNoise(line) ? (line.endsWith(' {') ? ['  {'] : []) : [line]))
      .join('\n')
      .replaceAll(`file://${root}/`, '')
      .replaceAll(`${root}/`, '')
  )
}
