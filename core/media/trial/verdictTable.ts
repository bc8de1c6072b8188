import { isUnlikePrediction } from './outcomes'
import type { TrialRecord } from './trialRecord'
import type { VariantId } from './variants'
import { type Verdict, verdictsOnFiles } from './verdicts'

const COLUMNS = [
  'phone',
  'system',
  'gallery',
  'plays',
  'marked, does not play',
  'still only',
  'not shown',
  'date wrong',
  'unlike inspect',
  'not tried',
  'made by',
]

/**
 * The verdicts of a trial as a table in Markdown: a row for each gallery of each phone. Of the files that are in the folder now
 * only; verdicts on earlier ones are left out.
 */
export function verdictTable(verdicts: readonly Verdict[], trial: TrialRecord): string {
  const rows = new Map<string, Verdict[]>()
  for (const verdict of verdictsOnFiles(verdicts, trial)) {
    const key = JSON.stringify([verdict.model, verdict.system, verdict.gallery])
    rows.set(key, [...(rows.get(key) ?? []), verdict])
  }
  const lines = [COLUMNS, COLUMNS.map(() => '---'), ...[...rows.values()].map((row) => cellsOf(row, trial))]
  return lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}

function cellsOf(row: readonly Verdict[], trial: TrialRecord): string[] {
  const ids = trial.variants.map(({ id }) => id)
  const those = (isMeant: (verdict: Verdict) => boolean) =>
    listed(ids.filter((id) => row.some((verdict) => verdict.variant === id && isMeant(verdict))))
  const tried = new Set<string>(row.map(({ variant }) => variant))
  const { model = '', system = '', gallery = '', software = '' } = row[0] ?? {}
  return [
    escaped(model),
    escaped(system) || '–',
    escaped(gallery),
    those(({ outcome }) => outcome === 'plays'),
    those(({ outcome }) => outcome === 'recognised'),
    those(({ outcome }) => outcome === 'still'),
    those(({ outcome }) => outcome === 'not-shown'),
    those(({ date }) => date === 'wrong'),
    those((verdict) => isUnlikePrediction(verdict, trial)),
    listed(ids.filter((id) => !tried.has(id))),
    escaped(software),
  ]
}

function listed(ids: readonly VariantId[]): string {
  return ids.length === 0 ? '–' : ids.map((id) => `\`${id}\``).join(' ')
}

/** Text of a person, as one cell of a table. */
function escaped(text: string): string {
  return text.replaceAll(/[\\|`<>&*_[\]]/g, (character) => `\\${character}`)
}
