import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { ServiceError } from '#core/errors'
import type { Listening } from '../listen'

type Place = Pick<Listening, 'url' | 'port'>

/** What a port file says: the line of standard output, or what HMCL reads. */
export type PortFileForm = 'event' | 'hmcl'

const TEXTS: Readonly<Record<PortFileForm, (place: Place) => string>> = {
  event: (place) => `${listeningLine(place)}\n`,
  hmcl: ({ port }) => JSON.stringify({ port }),
}

/**
 * Writes atomically where the service listens, for a launcher that waits for the file.
 * @throws ServiceError `unavailable`
 */
export async function writePortFile(path: string, place: Place, form: PortFileForm): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`
  try {
    await writeFile(temporary, TEXTS[form](place))
    await rename(temporary, path)
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => undefined)
    throw new ServiceError('unavailable', `The port file ${path} cannot be written.`, { cause })
  }
}

/** Removes the file, unless another instance has written its own there. */
export async function removePortFile(path: string, place: Place, form: PortFileForm): Promise<void> {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === TEXTS[form](place)) await rm(path, { force: true })
}

/** The line on standard output that tells launchers where the service listens. */
export function listeningLine({ url, port }: Place): string {
  return JSON.stringify({ event: 'listening', url, port, pid: process.pid })
}
