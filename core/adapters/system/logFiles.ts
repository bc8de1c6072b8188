import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Longer lines are cut. */
const MAX_LINE = 8192
/** Only this user: the log names players and addresses. */
const MODE = 0o600

/**
 * A log on disk in a bounded number of files of a bounded size. The newest lines are in `path`, older ones in `path.1`, `path.2`, …
 * Several programs may write to the same files.
 * @param options.maxBytes of one file
 * @param options.count of files, at least 1
 * @example
 * const files = createLogFiles({ path: '/var/log/lantern-room/room.log', maxBytes: 2 ** 20, count: 3 })
 * files.append('2026-01-01T00:00:00.000Z info started\n')
 */
export function createLogFiles(options: {
  readonly path: string
  readonly maxBytes: number
  readonly count: number
}) {
  const { path, maxBytes, count } = options
  const pathOf = (number: number) => (number === 0 ? path : `${path}.${number}`)
  const numbers = Array.from({ length: count }, (_, number) => number)

  return {
    /** Adds a line, which has its end; one of more than 8,192 characters is cut. Never throws: a disk that is full ends no room. */
    append(line: string): void {
      const bytes = new TextEncoder().encode(cut(line))
      try {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
        if (sizeOf(path) + bytes.length > maxBytes) rotate()
        appendFileSync(path, bytes, { mode: MODE })
      } catch {
        // The next line tries again.
      }
    },
    /** The lines of all files, the oldest first; empty when there is none. */
    text: () => numbers.toReversed().map(pathOf).map(textOf).join(''),
  }

  function rotate(): void {
    rmSync(pathOf(count - 1), { force: true })
    for (const number of numbers.slice(0, -1).toReversed()) {
      if (sizeOf(pathOf(number)) > 0) renameSync(pathOf(number), pathOf(number + 1))
    }
  }
}

function cut(line: string): string {
  return line.length <= MAX_LINE ? line : `${line.slice(0, MAX_LINE)}…\n`
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
