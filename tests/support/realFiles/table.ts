import { type Comparison, differencesOf, JUDGE_NAMES } from './compare'
import { REAL_FILES } from './realFiles'

const BEGIN = '<!-- made by npm run figures -- real-files --write -->'
const END = '<!-- end -->'

/** Rows by the file's name. */
export type Rows = ReadonlyMap<string, string>

/** The rows of a page; none where it has no table yet. */
export function tableIn(page: string): Rows {
  const [, after = ''] = page.split(BEGIN)
  const lines = (after.split(END)[0] ?? '').split('\n')
  return new Map(
    lines.flatMap((line) => {
      const [, name] = /^\| `([\w-]+)` /.exec(line) ?? []
      return name ? [[name, line]] : []
    }),
  )
}

/** @param kept rows of files that are not at hand now */
export function realFilesTable(comparisons: readonly Comparison[], kept: Rows): string {
  const rows = new Map(comparisons.map((comparison) => [comparison.file.name, rowOf(comparison)]))
  const names = ['file', 'phone', 'inspect', 'others']
  const lines = REAL_FILES.map(({ name }) => rows.get(name) ?? kept.get(name)).filter(
    (row) => row !== undefined,
  )
  return [`| ${names.join(' | ')} |`, `|${names.map(() => '---').join('|')}|`, ...lines].join('\n')
}

export function withTable(page: string, table: string): string {
  const [before = ''] = page.split(BEGIN)
  const [, after = ''] = page.split(END)
  return `${before}${BEGIN}\n\n${table}\n\n${END}${after}`
}

export function rowOf(comparison: Comparison): string {
  const { file, ours, recognisedBy, theirs } = comparison
  const differences = new Map(differencesOf(comparison).map(({ judge, sees }) => [judge, sees]))
  const others = JUDGE_NAMES.flatMap((judge) => {
    const { complaint } = theirs[judge]
    const sees = differences.get(judge)
    return [
      ...(sees === undefined ? [] : [`${judge}: ${sees}`]),
      ...(complaint === undefined ? [] : [`${judge} complains: ${complaint}`]),
    ]
  })
  const verdict = ours.isMotionPhoto
    ? `clip at ${ours.clipStart}: ${recognisedBy.join(', ') || 'nobody'}`
    : 'no clip'
  return `| ${[`\`${file.name}\``, file.phone, verdict, others.join('; ') || 'same'].join(' | ')} |`
}
