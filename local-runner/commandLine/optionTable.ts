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

/** Options that every command has. */
export const COMMON_OPTIONS = {
  help: { short: 'h', help: ['show this, and stop'] },
  version: { short: 'V', help: ['show the version, and stop'] },
} as const satisfies OptionTable
