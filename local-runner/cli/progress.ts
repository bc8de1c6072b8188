export type PhotoStage = 'reading' | 'preparing' | 'converting' | 'writing'

export type PhotoProgress = typeof NO_PROGRESS

export type ProgressScreen = {
  readonly write: (text: string) => void
  /** Whether it understands cursor movements. */
  readonly isTerminal: boolean
  readonly hasColour: boolean
  /** At this moment: a window may change its size. */
  readonly columns: () => number
}

/** Nothing is shown. */
export const NO_PROGRESS = {
  /** @param _name of the file that is worked on, safe to print */
  stage(_stage: PhotoStage, _name?: string): void {},
  /** Progress of the stage, 0 to 1. */
  share(_share: number): void {},
  /** Restores the terminal. May be called more than once. */
  end(): void {},
}

/** On a terminal one line that is redrawn; elsewhere one plain line for each stage. */
export function createProgress(screen: ProgressScreen): PhotoProgress {
  return screen.isTerminal ? createBar(screen) : createLines(screen)
}

function createLines({ write }: ProgressScreen): PhotoProgress {
  return {
    ...NO_PROGRESS,
    stage: (stage, name) => write(name === undefined ? `${stage}\n` : `${stage} ${name}\n`),
  }
}

const HIDE_CURSOR = '\x1b[?25l'
const SHOW_CURSOR = '\x1b[?25h'
const ERASE_TO_END = '\x1b[K'

function createBar({ write, hasColour, columns }: ProgressScreen): PhotoProgress {
  let current: PhotoStage = 'reading'
  let drawn: string | undefined
  const draw = (share: number | undefined) => {
    const line = barLine(current, share, columns(), hasColour)
    if (line === drawn) return
    write(`${drawn === undefined ? HIDE_CURSOR : ''}\r${line}${ERASE_TO_END}`)
    drawn = line
  }
  return {
    stage(stage) {
      current = stage
      draw(undefined)
    },
    share: draw,
    end() {
      if (drawn !== undefined) write(`\r${ERASE_TO_END}${SHOW_CURSOR}`)
      drawn = undefined
    },
  }
}

const MAX_BAR = 40

/** `preparing   43 % [#####-------]`, cut to what fits one line: a longer one could not be drawn over. */
function barLine(stage: PhotoStage, share: number | undefined, columns: number, hasColour: boolean): string {
  const label = stage.padEnd(11)
  if (share === undefined) return stage.slice(0, Math.max(0, columns - 1))
  const percent = Math.floor(Math.min(1, Math.max(0, share)) * 100)
  const text = `${label}${String(percent).padStart(3)} %`
  const width = Math.min(MAX_BAR, columns - text.length - 4)
  if (width < 4) return text.slice(0, Math.max(0, columns - 1))
  const full = Math.round((percent / 100) * width)
  const done = '#'.repeat(full)
  return `${text} [${hasColour && full > 0 ? `\x1b[32m${done}\x1b[39m` : done}${'-'.repeat(width - full)}]`
}
