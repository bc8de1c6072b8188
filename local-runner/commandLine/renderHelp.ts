import type { OptionSpec, OptionTable } from './optionTable'

/** Widths of a help text, in columns. */
export type HelpLayout = {
  /** Where the explanations begin. */
  readonly textColumn: number
  /** Where the defaults begin, apart from the explanations; one that does not fit ends at the right edge. */
  readonly defaultColumn: number
}

const WIDTH = 80

/**
 * A help text of at most 80 columns.
 * @param parts paragraphs as text, and options as tables; an empty line comes between them
 */
export function renderHelp(parts: readonly (string | OptionTable)[], layout: HelpLayout): string {
  const paragraphs = parts.map((part) =>
    typeof part === 'string' ? part.replace(/^\n+|\n+$/g, '') : renderOptions(part, layout),
  )
  return `${paragraphs.join('\n\n')}\n`
}

function renderOptions(table: OptionTable, layout: HelpLayout): string {
  return Object.entries(table)
    .flatMap(([name, spec]) => optionLines(name, spec, layout))
    .join('\n')
}

function optionLines(name: string, spec: OptionSpec, { textColumn, defaultColumn }: HelpLayout): string[] {
  const short = spec.short === undefined ? '' : `-${spec.short}, `
  const value = spec.value === undefined ? '' : ` ${spec.value}`
  const label = `  ${short}--${name}${value}`
  // A label that leaves no gap before its explanation has a line of its own.
  const isLong = label.length >= textColumn
  const indent = ' '.repeat(textColumn)
  const explained = spec.help.map(
    (text, at) => (at === 0 && !isLong ? label.padEnd(textColumn) : indent) + text,
  )
  const lines = isLong ? [label, ...explained] : explained
  if (spec.default === undefined) return lines
  const shown = `(${spec.default})`
  const column = Math.min(defaultColumn, WIDTH - shown.length)
  const last = lines.at(-1) ?? label
  if (last.length > column - 2) return [...lines, ' '.repeat(column) + shown]
  return [...lines.slice(0, -1), last.padEnd(column) + shown]
}
