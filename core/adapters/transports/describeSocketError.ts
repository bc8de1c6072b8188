import { systemCode } from '@lantern-room/base'
import socketErrors from './socketErrors.json'

/**
 * A network failure in a few words for a player, with the system's error as its cause.
 * @param error anything that was thrown; an Error without a code known here is returned as it is
 */
export function describeSocketError(error: unknown): Error {
  const words = wordsOf(error)
  if (words !== undefined) return new Error(words, { cause: error })
  return error instanceof Error ? error : new Error(String(error))
}

function wordsOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const known = words.get(systemCode(error) ?? '')
  if (known !== undefined) return known
  if (error instanceof AggregateError) return wordsOf(error.errors[0])
  // fetch itself reports only that it failed.
  return wordsOf(error.cause)
}

const words: ReadonlyMap<string, string> = new Map(Object.entries(socketErrors))
