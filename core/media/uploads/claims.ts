import { randomBytes } from 'node:crypto'
import type { ObjectStore } from '../objectStore/ports'
import { isId } from '../sessions/session'
import { uploadKeys } from './upload'
import { STALE_AFTER_SECONDS, UploadError } from './uploadErrors'
import { readStatus } from './uploadStatus'

/** After so many processes that have ended while they worked on an upload, its file is taken for the reason. */
export const MAX_CLAIMS = 5

/** The first claim on an upload, and those by which it was taken over. Each can be created once. */
export function claimKeys(id: string): readonly string[] {
  const { claim } = uploadKeys(id)
  return Array.from({ length: MAX_CLAIMS }, (_, index) => (index === 0 ? claim : `${claim}${index + 1}`))
}

export type Claim = {
  /** 1 for the first claim, more for one that took over. */
  readonly rank: number
  /** The marks of those whose process has ended, or does not reach the store. */
  readonly earlier: readonly string[]
}

/**
 * Claims an upload; when whoever has claimed it gave no sign for half a minute, takes it over.
 * @param mark the id of the session that it shall become, or a text that is none
 * @throws ServiceError `conflict`
 * @see docs/decisions.md, D17
 */
export async function takeClaim(
  store: Pick<ObjectStore, 'createBytes' | 'get' | 'head' | 'delete'>,
  id: string,
  mark: string,
  nowMs: number,
): Promise<Claim> {
  if (await isFirst(store, uploadKeys(id).claim, mark)) return { rank: 1, earlier: [] }
  const held = await readClaims(store, id, nowMs)
  if (!held?.isStale) throw new UploadError('inUse', held?.freeInSeconds ?? 1)
  // The session that it would have become must be prevented, which is for those who make sessions.
  if (!isId(mark) && held.marks.some(isId)) throw new UploadError('inUse')
  const next = claimKeys(id)[held.marks.length]
  if (next !== undefined && !(await isFirst(store, next, mark))) throw new UploadError('inUse')
  return { rank: held.marks.length + 1, earlier: held.marks }
}

/**
 * @returns the claims on an upload, whether the last one has given no sign for too long, and in how many seconds it will have if none
 *   comes; undefined without any
 */
export async function readClaims(store: Pick<ObjectStore, 'get' | 'head'>, id: string, nowMs: number) {
  const marks: string[] = []
  const keys = claimKeys(id)
  for (const key of keys) {
    const bytes = await store.get(key)
    if (bytes === undefined) break
    marks.push(new TextDecoder().decode(bytes))
  }
  const last = keys[marks.length - 1]
  if (last === undefined) return undefined
  const [head, status] = [await store.head(last), await readStatus(store, id, nowMs)]
  const signMs = status?.state === 'preparing' ? status.updated_at * 1000 : 0
  const lastSignMs = Math.max(head?.modifiedAt.getTime() ?? nowMs, signMs)
  const leftMs = lastSignMs + STALE_AFTER_SECONDS * 1000 - nowMs
  return { marks, isStale: leftMs < 0, freeInSeconds: Math.max(1, Math.floor(leftMs / 1000) + 1) }
}

/** @throws ServiceError `conflict` when another process has taken the upload over */
export async function mustHold(
  store: Pick<ObjectStore, 'head'>,
  id: string,
  { rank }: Pick<Claim, 'rank'>,
): Promise<void> {
  const next = claimKeys(id)[rank]
  if (next !== undefined && (await store.head(next))) throw new UploadError('takenOver')
}

/** Whether another process has taken the upload over, and perhaps finished with it. */
export async function isLost(
  store: Pick<ObjectStore, 'head'>,
  id: string,
  { rank }: Pick<Claim, 'rank'>,
): Promise<boolean> {
  const [own, next] = [claimKeys(id)[rank - 1], claimKeys(id)[rank]]
  if (next !== undefined && (await store.head(next))) return true
  return own !== undefined && (await store.head(own)) === undefined
}

export function randomMark(): string {
  return `mark-${randomBytes(16).toString('hex')}`
}

/**
 * Creates an object that only one caller can create, on however many machines. The object holds the caller's mark, so
 * that a repeated request, after a lost answer, recognises its own object.
 */
export async function isFirst(
  store: Pick<ObjectStore, 'createBytes' | 'get' | 'delete'>,
  key: string,
  mark = randomMark(),
): Promise<boolean> {
  const isOurs = async () => new TextDecoder().decode(await store.get(key)) === mark
  try {
    const bytes = new TextEncoder().encode(mark)
    return (await store.createBytes(key, bytes, { contentType: 'text/plain' })) || (await isOurs())
  } catch (error) {
    // The object may have been created all the same. What stays behind is unusable, and the sweep removes it.
    await isOurs()
      .then((isSo) => (isSo ? store.delete([key]) : undefined))
      .catch(() => undefined)
    throw error
  }
}

/** Prevents the sessions that earlier workers may be about to store. @returns the one that is stored already */
export async function settleEarlier<T>(
  { earlier }: Pick<Claim, 'earlier'>,
  settle: (sessionId: string) => Promise<T | undefined>,
): Promise<{ readonly sessionId: string; readonly result: T } | undefined> {
  for (const sessionId of earlier.filter(isId)) {
    const result = await settle(sessionId)
    if (result !== undefined) return { sessionId, result }
  }
  return undefined
}
