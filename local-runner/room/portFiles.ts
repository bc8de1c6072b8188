import { readFile } from 'node:fs/promises'
import { ServiceError } from '#core/errors'
import type { Listening } from '../listen'
import { removeFile, replaceFile } from './replaceFile'

type Place = Pick<Listening, 'url' | 'port'>

/** What a port file says: the line of standard output, or what HMCL reads. */
export type PortFileForm = 'event' | 'hmcl'

const TEXTS: Readonly<Record<PortFileForm, (place: Place) => string>> = {
  event: (place) => `${listeningLine(place)}\n`,
  hmcl: ({ port }) => JSON.stringify({ port }),
}

/**
 * Writes where the service listens, for a launcher that waits for the file. It appears whole, unless another program
 * holds an older one open.
 * @returns whether it was written: a program that holds it open can also keep others from writing
 * @throws ServiceError `unavailable`
 */
export async function writePortFile(path: string, place: Place, form: PortFileForm): Promise<boolean> {
  try {
    return await replaceFile(path, TEXTS[form](place))
  } catch (cause) {
    throw new ServiceError('unavailable', `The port file ${path} cannot be written.`, { cause })
  }
}

/** Removes the file, unless another instance has written its own there or another program holds it open. */
export async function removePortFile(path: string, place: Place, form: PortFileForm): Promise<void> {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === TEXTS[form](place)) await removeFile(path).catch(() => undefined)
}

/** The line on standard output that tells launchers where the service listens. */
export function listeningLine({ url, port }: Place): string {
  return JSON.stringify({ event: 'listening', url, port, pid: process.pid })
}
