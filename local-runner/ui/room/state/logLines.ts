import type { LogLevel } from '@lantern-room/base'
import type { LogLine } from './records'

const MAX_LINES = 1000
const RANK: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 }

/** The lines with one more at the end; the oldest goes when there are too many. A line that is there already stays one. */
export function addLine(lines: readonly LogLine[], line: LogLine): readonly LogLine[] {
  if (lines.some(({ index, timestamp }) => index === line.index && timestamp === line.timestamp)) return lines
  return [...lines, line].slice(-MAX_LINES)
}

/**
 * The lines that a viewer shows.
 * @param least the least important level
 * @param words every one of them occurs in the line, in any case
 */
export function chosenLines(lines: readonly LogLine[], least: LogLevel, words: string): readonly LogLine[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  return lines.filter(({ level, message }) => {
    const text = message.toLowerCase()
    return RANK[level] >= RANK[least] && wanted.every((word) => text.includes(word))
  })
}
