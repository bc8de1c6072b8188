import type { ObjectStore } from '../objectStore/ports'
import { sessionKeys } from './session'

/** @returns the address at which the store itself serves a session's preview */
export type PreviewLink = (sessionId: string) => Promise<string>

/**
 * How long such an address is valid: a player that was redirected once asks there for every further range. It is never
 * valid for longer than the credentials that signed it.
 */
const VALID_SECONDS = 6 * 3600

/** @returns undefined where the service sends previews itself */
export function previewLinks(
  { presignGet }: Pick<ObjectStore, 'presignGet'>,
  { previewRedirect }: { readonly previewRedirect: boolean },
): PreviewLink | undefined {
  if (!previewRedirect || !presignGet) return undefined
  return (sessionId) =>
    presignGet(sessionKeys(sessionId).preview, {
      contentType: 'video/mp4',
      cacheControl: 'private, max-age=3600',
      expiresInSeconds: VALID_SECONDS,
    })
}
