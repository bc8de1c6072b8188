import { randomBytes } from 'node:crypto'
import { ANSWERS_PREFIX } from '@lantern-room/media/functions'
import type { ObjectStore } from '@lantern-room/media/ports'
import { inFolder, type WorkFolders } from '@lantern-room/media/ports'
import { readBody } from './readBody'

export type RedirectLarge = ReturnType<typeof redirectLarge>

/** As long as the sweep leaves them at least. A download that has begun may take longer. */
const VALID_SECONDS = 3600

/**
 * Puts an answer that the gateway cannot carry into the bucket, and sends the client to its signed address.
 * @param maxBytes the largest body that reaches the client through the gateway
 * @returns the response itself, or a 303 in its place. @throws ServiceError `unavailable`; the signal's reason
 */
export function redirectLarge(
  store: Pick<ObjectStore, 'putFile' | 'presignGet'>,
  workFolders: Pick<WorkFolders, 'open'>,
  maxBytes: number,
) {
  return async (response: Response, signal: AbortSignal): Promise<Response> => {
    const { status, headers, body } = response
    const isCarried = status !== 200 || body === null || Number(headers.get('Content-Length')) <= maxBytes
    if (isCarried || !store.presignGet) return response
    const key = `${ANSWERS_PREFIX}${randomBytes(16).toString('hex')}`
    const contentType = headers.get('Content-Type') ?? 'application/octet-stream'
    await inFolder(workFolders, async (folder) => {
      const path = await folder.write('answer', readBody(body, signal))
      await store.putFile(key, path, { contentType, consume: true })
    })
    const location = await store.presignGet(key, {
      contentType,
      cacheControl: headers.get('Cache-Control') ?? 'no-store',
      contentDisposition: headers.get('Content-Disposition') ?? undefined,
      expiresInSeconds: VALID_SECONDS,
    })
    // The header fields that are about the body come with the body, from the bucket.
    const kept = new Headers([...headers].filter(([name]) => !name.startsWith('content-')))
    kept.set('Location', location)
    return new Response(null, { status: 303, headers: kept })
  }
}
