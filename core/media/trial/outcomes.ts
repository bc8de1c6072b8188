import { GALLERIES } from '#core/formats/profiles/profile'
import type { TrialRecord } from './trialRecord'
import type { VariantId } from './variants'

/**
 * What a gallery made of a file: it plays; it is marked as a motion photo, but does not play; it is shown as a still; it is not
 * shown at all.
 */
export const OUTCOMES = ['plays', 'recognised', 'still', 'not-shown'] as const

/** Whether the photo is sorted at the time of its recording. */
export const DATES = ['right', 'wrong', 'unknown'] as const

/** The families whose verdicts `inspect` predicts, and all others. */
export const FAMILIES = [...GALLERIES, 'other'] as const

export type Outcome = (typeof OUTCOMES)[number]
export type DateVerdict = (typeof DATES)[number]
export type Family = (typeof FAMILIES)[number]

/** Whether `inspect` is sure of the contrary. Of galleries that it does not know nothing is predicted. */
export function isUnlikePrediction(
  {
    variant,
    family,
    outcome,
  }: { readonly variant: VariantId; readonly family: Family; readonly outcome: Outcome },
  { variants }: Pick<TrialRecord, 'variants'>,
): boolean {
  const { galleries = [] } = variants.find(({ id }) => id === variant) ?? {}
  const predicted = galleries.find(({ gallery }) => gallery === family)
  if (!predicted || predicted.recognised === 'unsure') return false
  if (predicted.recognised === 'no') return outcome === 'plays' || outcome === 'recognised'
  return predicted.plays ? outcome !== 'plays' : outcome === 'plays'
}
