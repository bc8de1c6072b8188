import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '#core/async/clock'
import { createMonthlyQuota, type MonthCount, type MonthlyQuota } from '#core/easytier/relay/monthlyQuota'
import { ServiceError, systemCode } from '#core/errors'
import type { Log } from '#core/log'
import { replaceFile, unusableFolder } from '../replaceFile'

/** A monthly quota whose count is in a file, so that it outlives a restart. */
export type KeptQuota = {
  readonly quota: MonthlyQuota
  /** Writes the count for the last time. */
  close(): Promise<void>
}

/** A process that is killed forgets what it relayed since. */
const WRITE_EVERY_MS = 10_000

/**
 * The count is in `<folder>/relay-<name>.json`: `{"month":"2026-11","bytes":4711}`.
 * @throws ServiceError `unavailable` when the file cannot be read or written, or holds something else
 */
export async function openKeptQuota(
  { folder, name, bytes }: { readonly folder: string; readonly name: string; readonly bytes: number },
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<KeptQuota> {
  const path = join(folder, `relay-${name}.json`)
  const quota = createMonthlyQuota(bytes, { clock, log, kept: await readCount(folder, path) })
  let written = ''
  let isFailing = false
  let isClosed = false
  await write().catch(cannotUse(folder))
  let writing = Promise.resolve()
  let cancel = clock.after(WRITE_EVERY_MS, again)

  return {
    quota,
    async close() {
      isClosed = true
      cancel()
      await writing
      await tryWrite()
    },
  }

  function again(): void {
    writing = tryWrite().then(() => {
      if (!isClosed) cancel = clock.after(WRITE_EVERY_MS, again)
    })
  }

  async function write(): Promise<void> {
    const text = `${JSON.stringify(quota.count())}\n`
    if (text === written) return
    await replaceFile(path, text)
    written = text
  }

  /** A full disk must not end the relay. It is logged once. */
  async function tryWrite(): Promise<void> {
    try {
      await write()
      isFailing = false
    } catch {
      if (!isFailing) log.warn('the count of the monthly quota cannot be written', { path })
      isFailing = true
    }
  }
}

async function readCount(folder: string, path: string): Promise<MonthCount | undefined> {
  await mkdir(folder, { recursive: true }).catch(cannotUse(folder))
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return undefined
    return cannotUse(folder)(error)
  })
  if (text === undefined) return undefined
  const count = parseCount(text)
  if (count) return count
  throw new ServiceError(
    'unavailable',
    `${path} is not the count of a relay's quota: remove it, and the count of this month begins with 0.`,
  )
}

function parseCount(text: string): MonthCount | undefined {
  const match = /^\{"month":"(\d{4}-(?:0[1-9]|1[0-2]))","bytes":(\d{1,16})\}\s*$/.exec(text)
  const [, month, bytes] = match ?? []
  return month === undefined ? undefined : { month, bytes: Number(bytes) }
}

function cannotUse(folder: string): (cause: unknown) => never {
  return (cause) => {
    throw unusableFolder(`The data folder ${folder}, where the monthly quota is counted,`, cause)
  }
}
