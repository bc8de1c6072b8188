import { RequestProblem } from '../shared/ask'
import { common } from '../shared/texts'
import { say } from './texts'

const KNOWN = [
  'invalid-request',
  'not-found',
  'conflict',
  'payload-too-large',
  'unsupported-media',
  'out-of-range',
  'unprocessable',
  'too-busy',
  'internal',
  'unavailable',
  'timeout',
] as const

/** A failure as a person reads it: in the page's language, and in the service's own words where these say more. */
export type Problem = { readonly sentence: string; readonly detail: string | undefined }

export function problemOf(error: unknown): Problem {
  if (!(error instanceof RequestProblem)) throw error
  if (error.code === 'unreachable') return { sentence: common('unreachable'), detail: undefined }
  const known = KNOWN.find((code) => code === error.code)
  const own = known === undefined ? '' : say(known)
  return own === '' ? { sentence: error.detail, detail: undefined } : { sentence: own, detail: error.detail }
}
