import { z } from 'zod'
import { parseJson } from '#core/bytes'
import { ServiceError } from '#core/errors'
import { invalid } from '#core/http/validation'
import { DATES, FAMILIES, OUTCOMES } from './outcomes'
import type { TrialRecord } from './trialRecord'
import { VARIANT_IDS } from './variants'

export const VERDICTS_FILE = 'verdicts.json'

const MAX_VERDICTS = 5000
const MAX_TEXT = 80
const MAX_NOTE = 300

const text = (max: number) =>
  z
    .string({ error: (issue) => (issue.input === undefined ? 'is missing' : 'must be text') })
    .trim()
    .max(max, `must not be longer than ${max} characters`)
    .regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u, 'must not have control characters')

const oneOf = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  z.enum(words, {
    error: (issue) => (issue.input === undefined ? 'is missing' : `must be one of ${words.join(', ')}`),
  })

const verdictBody = z.object({
  variant: oneOf(VARIANT_IDS),
  model: text(MAX_TEXT).min(1, 'is missing'),
  system: text(MAX_TEXT).default(''),
  gallery: text(MAX_TEXT).min(1, 'is missing'),
  family: oneOf(FAMILIES).default('other'),
  outcome: oneOf(OUTCOMES),
  date: oneOf(DATES).default('unknown'),
  note: text(MAX_NOTE).default(''),
})

/** What a person has seen of one file in one gallery of one phone. */
export type GivenVerdict = z.infer<typeof verdictBody>

const verdict = verdictBody.extend({
  /** Of the file that was seen. */
  sha256: z.string(),
  /** That made it. */
  software: z.string(),
  /** ISO 8601. */
  at: z.string(),
})

export type Verdict = z.infer<typeof verdict>

const verdictsFile = z.object({ version: z.literal(1), verdicts: z.array(verdict) })

/** @throws ServiceError `invalid-request` naming each field that is wrong */
export function readGivenVerdict(body: unknown): GivenVerdict {
  const { data, error } = verdictBody.safeParse(body)
  if (data) return data
  throw invalid(error, 'invalid-request')
}

/** @throws ServiceError `invalid-request` when the file is not what `verdictsJson` writes */
export function readVerdicts(json: Uint8Array | undefined): readonly Verdict[] {
  if (!json) return []
  const { data } = verdictsFile.safeParse(parseJson(json))
  if (data) return data.verdicts
  throw new ServiceError(
    'invalid-request',
    `${VERDICTS_FILE} in the folder cannot be read. Mend it, or move it away.`,
  )
}

export function verdictsJson(verdicts: readonly Verdict[]): string {
  return `${JSON.stringify({ version: 1, verdicts }, undefined, 2)}\n`
}

/**
 * Adds a verdict; one on the same file in the same gallery of the same phone is replaced.
 * @param now Unix time in milliseconds
 * @throws ServiceError `not-found` when the trial has no such variant, `conflict` when there are too many verdicts
 */
export function addVerdict(
  verdicts: readonly Verdict[],
  given: GivenVerdict,
  trial: TrialRecord,
  now: number,
): readonly Verdict[] {
  const seen = trial.variants.find(({ id }) => id === given.variant)
  if (!seen) throw new ServiceError('not-found', `variant: this trial has no ${given.variant}.`)
  const added = {
    ...given,
    sha256: seen.sha256,
    software: trial.software,
    at: new Date(now).toISOString(),
  }
  const others = verdicts.filter((one) => keyOf(one) !== keyOf(added))
  if (others.length < MAX_VERDICTS) return [...others, added]
  throw new ServiceError('conflict', `There are ${MAX_VERDICTS} verdicts in this folder. Begin another one.`)
}

/** The verdicts on files as they are in the folder now. */
export function verdictsOnFiles(verdicts: readonly Verdict[], { variants }: TrialRecord): readonly Verdict[] {
  const hashes = new Map<string, string>(variants.map(({ id, sha256 }) => [id, sha256]))
  return verdicts.filter(({ variant, sha256 }) => hashes.get(variant) === sha256)
}

function keyOf({ variant, model, system, gallery }: GivenVerdict): string {
  return JSON.stringify([variant, model, system, gallery])
}
