import type { ExportProblem } from './exportEntry'

/** Google numbers the parts of an export; Apple says how many there are. */
const NUMBERED = /^(.*?[-_ ]?)(\d{3})(\.(?:zip|tgz|tar\.gz))$/i
const PART_OF = /^(.*\D)(\d{1,3})( (?:of|von|de|di|av|van|z|из) )(\d{1,3})(.*)$/i

/**
 * The parts of an export that are not among these archives, as far as their names say so.
 * @example missingParts(['takeout-1-002.zip'])[0]?.path // 'takeout-1-001.zip'
 */
export function missingParts(names: readonly string[]): readonly ExportProblem[] {
  const series = new Map<
    string,
    { readonly numbers: Set<number>; last: number; readonly nameOf: (number: number) => string }
  >()
  for (const name of names) {
    const [, before = '', number = '', , total = '', after = ''] = PART_OF.exec(name) ?? []
    const [, start = '', digits = '', ending = ''] = total === '' ? (NUMBERED.exec(name) ?? []) : []
    if (total !== '')
      note(`${before} ${total}${after}`, Number(number), Number(total), (n) =>
        name.replace(`${before}${number}`, `${before}${n}`),
      )
    else if (digits !== '')
      note(start, Number(digits), 0, (n) => `${start}${String(n).padStart(3, '0')}${ending}`)
  }
  return [...series.values()].flatMap(({ numbers, last, nameOf }) =>
    Array.from({ length: Math.min(last, MAX_PARTS) }, (_, i) => i + 1)
      .filter((number) => !numbers.has(number))
      .map((number) => ({
        path: nameOf(number),
        kind: 'missingPart' as const,
        reason: 'This part of the export is missing: name it, too.',
      })),
  )

  function note(key: string, number: number, total: number, nameOf: (number: number) => string): void {
    const known = series.get(key) ?? { numbers: new Set<number>(), last: 0, nameOf }
    known.numbers.add(number)
    known.last = Math.max(known.last, number, total)
    series.set(key, known)
  }
}

const MAX_PARTS = 999
