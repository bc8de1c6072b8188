import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { ServiceError } from '#core/errors'
import type { RoomApi } from '#core/room/roomApi'
import { printable } from '../../commandLine/readArguments'
import { readHostLine } from './readHostLine'

const DONE = { approve: 'is let in', refuse: 'is refused', kick: 'is removed' } as const

/**
 * Carries out what the host types: answers to players who want to join, and removals.
 * @returns a function that ends it
 */
export function obeyHost(
  { service, roomState }: Pick<RoomApi, 'service' | 'roomState'>,
  input: Readable & { unref?: () => void },
  write: (line: string) => void,
): () => void {
  const lines = createInterface({ input })
  // The room runs on when the input ends, and the input alone does not keep the process.
  input.unref?.()
  lines.on('line', (line) => {
    const read = readHostLine(line, roomState.view())
    if (!read) return
    if (read.kind === 'unclear') return write(printable(read.text))
    try {
      service.guests()[read.kind](read.id)
      write(printable(`${read.name} ${DONE[read.kind]}.`))
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      write(printable(error.detail))
    }
  })
  return () => {
    lines.close()
    input.destroy()
  }
}
