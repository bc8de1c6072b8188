import type { Log } from '@lantern-room/base'

/** Writes nothing; with `ROOM_TEST_LOG` set, everything to stderr. */
export function silentLog(): Log {
  const write = process.env.ROOM_TEST_LOG
    ? (message: string, fields?: unknown) => console.error(message, fields ?? '')
    : () => {}
  return { debug: write, info: write, warn: write, error: write }
}

/** Keeps the messages of warnings and errors. */
export function createTestLog(): Log & { readonly warnings: string[]; readonly errors: string[] } {
  const warnings: string[] = []
  const errors: string[] = []
  return {
    ...silentLog(),
    warnings,
    errors,
    warn: (message) => void warnings.push(message),
    error: (message) => void errors.push(message),
  }
}

/** What is written to standard output meanwhile as lines of JSON. */
export function linesWritten(work: () => void): readonly Readonly<Record<string, unknown>>[] {
  const { write } = process.stdout
  let text = ''
  process.stdout.write = (chunk) => {
    text += chunk
    return true
  }
  try {
    work()
  } finally {
    process.stdout.write = write
  }
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}
