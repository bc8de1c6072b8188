import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { ServiceError } from '@lantern-room/base'
import { printable } from '../../../commandLine/readArguments'

/**
 * Has each line that is typed carried out, and writes what is said to it.
 * @param obey returns the answer, undefined for none. What it throws as a ServiceError is the answer
 * @returns a function that ends it
 */
export function obeyLines(
  input: Readable & { unref?: () => void },
  obey: (line: string) => string | undefined,
  write: (line: string) => void,
): () => void {
  const lines = createInterface({ input })
  // The room runs on when the input ends, and the input alone does not keep the process.
  input.unref?.()
  lines.on('line', (line) => {
    const answer = answerTo(line)
    if (answer !== undefined) write(answer.split('\n').map(printable).join('\n'))
  })
  return () => {
    lines.close()
    input.destroy()
  }

  function answerTo(line: string): string | undefined {
    try {
      return obey(line)
    } catch (error) {
      if (error instanceof ServiceError) return error.detail
      throw error
    }
  }
}
