import type { ObjectStore } from '../objectStore/ports'
import { sessionKeys } from './session'

export type PreviewLinks = NonNullable<ReturnType<typeof previewLinks>>

/**
 * How long such an address is valid: a player that was redirected once asks there for every further range. It is never
 * valid for longer than the credentials that signed it.
 */
const VALID_SECONDS = 6 * 3600

/**
 * Where clients are redirected to the store for a preview.
 * @param maxBytes the largest response that reaches the client
 * @returns undefined where the service sends all previews itself
 */
export function previewLinks(
  { presignGet }: Pick<ObjectStore, 'presignGet'>,
  { previewRedirect }: { readonly previewRedirect: boolean },
  maxBytes = Number.POSITIVE_INFINITY,
) {
  const maxOwnBytes = previewRedirect ? 0 : maxBytes
  if (maxOwnBytes === Number.POSITIVE_INFINITY || !presignGet) return undefined
  return {
    /** Bytes that the service still sends itself; 0 where every GET is redirected. */
    maxOwnBytes,
    /** @returns the address at which the store itself serves a session's preview */
    linkTo: (sessionId: string) =>
      presignGet(sessionKeys(sessionId).preview, {
        contentType: 'video/mp4',
        cacheControl: 'private, max-age=3600',
        expiresInSeconds: VALID_SECONDS,
      }),
  }
}
