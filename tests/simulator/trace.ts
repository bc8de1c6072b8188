import type { Log } from '@lantern-room/base'

/** What happened, in order: two runs of one seed have the same hash. */
export type Trace = {
  note(text: string): void
  /** What must never happen. */
  violate(text: string): void
  log(name: string): Log
  readonly violations: readonly string[]
  readonly hash: string
  readonly lines: readonly string[]
}

/** How many of the last lines are kept for people. */
const KEPT = 400

export function createTrace(now: () => number): Trace {
  const lines: string[] = []
  const violations: string[] = []
  let one = 0x811c9dc5
  let other = 0x01000193

  const note = (text: string) => {
    const line = `${now().toFixed(0).padStart(6)} ${text}`
    for (let at = 0; at < line.length; at += 1) {
      one = Math.imul(one ^ line.charCodeAt(at), 0x01000193)
      other = Math.imul(other + line.charCodeAt(at), 0x85ebca6b) ^ (other >>> 13)
    }
    lines.push(line)
    if (lines.length > 2 * KEPT) lines.splice(0, KEPT)
  }
  const level = (name: string, word: string) => (message: string, fields?: Record<string, unknown>) =>
    note(`${name} ${word} ${message}${fields ? ` ${JSON.stringify(fields)}` : ''}`)

  return {
    note,
    violate(text) {
      note(`VIOLATION ${text}`)
      if (violations.length < 20) violations.push(text)
    },
    log: (name) => ({
      debug: level(name, '.'),
      info: level(name, 'i'),
      warn: level(name, 'w'),
      error: level(name, 'E'),
    }),
    violations,
    lines,
    get hash() {
      return [one, other].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
    },
  }
}
