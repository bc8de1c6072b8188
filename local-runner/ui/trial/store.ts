import { computed, signal } from '@preact/signals'
import type { DateVerdict, Family, Outcome } from '#core/media/trial/outcomes'
import type { ShownVerdict, TrialView } from '#core/media/trial/trialApp'
import type { VariantId } from '#core/media/trial/variants'
import { askJson, postJson, RequestProblem } from '../shared/ask'

export type Phone = {
  readonly model: string
  readonly system: string
  readonly gallery: string
  readonly family: Family
}

export type Problem = 'fillIn' | 'failed' | 'notLoaded'

const KEY = 'trial-phone'

export const view = signal<TrialView | undefined>(undefined)
export const phone = signal<Phone>({ model: '', system: '', gallery: '', family: 'other' })
export const problem = signal<{ readonly kind: Problem; readonly detail: string } | undefined>(undefined)

/** The verdicts of this gallery on this phone, by their variants. */
export const ownVerdicts = computed<ReadonlyMap<string, ShownVerdict>>(() => {
  const { model, system, gallery } = trimmed(phone.value)
  const isOwn = (one: ShownVerdict) => one.model === model && one.system === system && one.gallery === gallery
  return new Map(view.value?.verdicts.filter(isOwn).map((one) => [one.variant, one]))
})

export async function load(): Promise<void> {
  try {
    const read = await askJson<TrialView>('trial')
    phone.value = keptPhone() ?? {
      ...phone.value,
      model: read.phone.model ?? '',
      system: read.phone.system ?? '',
    }
    view.value = read
  } catch (error) {
    fail('notLoaded', error)
  }
}

export function describePhone(change: Partial<Phone>): void {
  phone.value = { ...phone.value, ...change }
  localStorage.setItem(KEY, JSON.stringify(phone.value))
}

export async function judge(variant: VariantId, outcome: Outcome, date: DateVerdict): Promise<void> {
  const { model, system, gallery, family } = trimmed(phone.value)
  if (model === '' || gallery === '') {
    problem.value = { kind: 'fillIn', detail: '' }
    document.querySelector<HTMLInputElement>(model === '' ? '#model' : '#gallery')?.focus()
    return
  }
  try {
    const given = { variant, outcome, date, model, system, gallery, family }
    const saved: { readonly verdicts: TrialView['verdicts'] } = await (
      await postJson('verdicts', given)
    ).json()
    if (view.value) view.value = { ...view.value, verdicts: saved.verdicts }
    problem.value = undefined
  } catch (error) {
    fail('failed', error)
  }
}

function fail(kind: Problem, error: unknown): void {
  problem.value = { kind, detail: error instanceof RequestProblem ? error.detail : String(error) }
}

/** As the service stores it. */
function trimmed({ model, system, gallery, family }: Phone): Phone {
  return { model: model.trim(), system: system.trim(), gallery: gallery.trim(), family }
}

/** What was typed here before. */
function keptPhone(): Phone | undefined {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? 'null')
    return kept === null ? undefined : (kept as Phone)
  } catch {
    return undefined
  }
}
