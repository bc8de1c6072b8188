import { createHash } from 'node:crypto'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '@lantern-room/base'
import type { Clock } from '@lantern-room/base/async'
import { withDeadline } from '@lantern-room/base/async'
import type { Transports } from '@lantern-room/easytier/transport'
import { writeOwnFile } from '../files/ownFile'

type FetchText = Transports['fetchText']

const FETCH_MS = 5000
const MAX_KEPT = 32

/**
 * Fetches within 5 s, and keeps the last good answer of each address on the disk, 32 at most: it is used when there is no good one now.
 * @returns a function that throws what `fetchText` throws when nothing is kept, or the signal's reason
 * @example const fetchText = keepAnswers({ fetchText: transports.fetchText, folder, isGood: namesNodes, clock, log })
 */
export function keepAnswers(options: {
  readonly fetchText: FetchText
  /** Where answers are kept; it is created. */
  readonly folder: string
  /** Whether an answer is worth keeping, unlike the login page of a hotel. */
  readonly isGood: (text: string) => boolean
  readonly clock: Clock
  readonly log: Log
}): FetchText {
  const { fetchText, folder, isGood, clock, log } = options
  const late = () => new Error(`no answer in ${FETCH_MS / 1000} s`)
  return async (url, origin, signal) => {
    const path = join(folder, `${createHash('sha256').update(url).digest('hex').slice(0, 32)}.txt`)
    const fetching = withDeadline(clock, FETCH_MS, signal, late, (limited) => fetchText(url, origin, limited))
    const answer = await fetching.catch(() => signal.throwIfAborted())
    if (answer !== undefined && isGood(answer)) {
      await keep(folder, path, answer).catch((error: unknown) =>
        log.debug('an answer cannot be kept', { url, cause: String(error) }),
      )
      return answer
    }
    const kept = await readFile(path, 'utf8').catch(() => undefined)
    if (kept === undefined) return answer ?? fetching
    log.info('the last good answer is used', { url })
    return kept
  }
}

/** Launchers may name ever new addresses, so that the oldest answers are dropped. */
async function keep(folder: string, path: string, text: string): Promise<void> {
  await writeOwnFile(path, text)
  const paths = (await readdir(folder)).map((name) => join(folder, name))
  if (paths.length <= MAX_KEPT) return
  const dated = await Promise.all(paths.map(async (path) => ({ path, at: (await stat(path)).mtimeMs })))
  dated.sort((one, other) => other.at - one.at)
  for (const { path } of dated.slice(MAX_KEPT)) await rm(path, { force: true })
}
