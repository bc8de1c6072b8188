import { textIn, type Values } from '@lantern-room/base'

/** One option of a command: how it is typed, and its lines in the help. */
export type OptionSpec = {
  /** Stands for the value in the help, such as `FILE`. An option without it is a switch. */
  readonly value?: string
  /** One letter. */
  readonly short?: string
  /** Whether an empty value is an answer; otherwise it counts as forgotten where the command refuses those. */
  readonly mayBeEmpty?: boolean
  /** Its effect, in as many lines as the help shows. */
  readonly help: readonly string[]
  /** The default, for the help. */
  readonly default?: string
}

/** The options of a command by their long names, in the order of the help. */
export type OptionTable = Readonly<Record<string, OptionSpec>>

/** Widths of a help text, in columns. */
export type HelpLayout = {
  /** Where the explanations begin. */
  readonly textColumn: number
  /** Where the defaults begin, apart from the explanations; one that does not fit ends at the right edge. */
  readonly defaultColumn: number
  /** What stands for the names in braces. */
  readonly values?: Values
}

const WIDTH = 80

/**
 * A help text of at most 80 columns.
 * @param parts paragraphs as text, and options as tables; an empty line comes between them
 */
export function renderHelp(parts: readonly (string | OptionTable)[], layout: HelpLayout): string {
  const paragraphs = parts.map((part) =>
    typeof part === 'string'
      ? filled(part, layout).replace(/^\n+|\n+$/g, '')
      : Object.entries(part)
          .flatMap(([name, spec]) => optionLines(name, spec, layout))
          .join('\n'),
  )
  return `${paragraphs.filter(Boolean).join('\n\n')}\n`
}

function filled(text: string, { values }: HelpLayout): string {
  return textIn('en', [text], values)
}

function optionLines(name: string, spec: OptionSpec, layout: HelpLayout): string[] {
  const { textColumn, defaultColumn } = layout
  const short = spec.short === undefined ? '' : `-${spec.short}, `
  const value = spec.value === undefined ? '' : ` ${spec.value}`
  const label = `  ${short}--${name}${value}`
  // A label that leaves no gap before its explanation has a line of its own.
  const isLong = label.length >= textColumn
  const indent = ' '.repeat(textColumn)
  const explained = spec.help.map(
    (text, at) => (at === 0 && !isLong ? label.padEnd(textColumn) : indent) + filled(text, layout),
  )
  const lines = isLong ? [label, ...explained] : explained
  if (spec.default === undefined) return lines
  const shown = `(${spec.default})`
  const column = Math.min(defaultColumn, WIDTH - columnsOf(shown))
  const last = lines.at(-1) ?? label
  const gap = column - columnsOf(last)
  if (gap < 2) return [...lines, ' '.repeat(column) + shown]
  return [...lines.slice(0, -1), last + ' '.repeat(gap) + shown]
}

/** How many columns of a terminal a text takes: Chinese letters and their punctuation take two. */
export function columnsOf(text: string): number {
  return text.length + (text.match(WIDE)?.length ?? 0)
}

const WIDE = /[\p{Script=Han}\u3000-\u303f\uff00-\uff60]/gu

/**
 * Chinese text in lines of at most so many columns: it may be broken between any two letters, but no line begins with punctuation.
 * Words of other scripts stay whole.
 */
export function wrapChinese(text: string, columns: number): readonly string[] {
  const pieces =
    text.match(/ ?(?:[\p{Script=Han}“（]|[^\s\p{Script=Han}，。、；：）”（“]+)[，。、；：）”]*/gu) ?? []
  const lines: string[] = []
  for (const piece of pieces) {
    const last = lines.at(-1)
    if (last === undefined || columnsOf(last + piece) > columns) lines.push(piece.trimStart())
    else lines[lines.length - 1] = last + piece
  }
  return lines
}
