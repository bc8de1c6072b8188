import { z } from 'zod'
import { parseJson } from '#core/bytes'
import { MAX_SESSION_TTL_SECONDS } from '../config'
import type { ObjectStore } from '../objectStore/ports'
import { isExpired } from './session'

const storedLife = z
  .object({
    /** Unix time in seconds. */
    created_at: z.number(),
    /** Unix time in seconds; missing in records of older versions. */
    expires_at: z.int().optional(),
  })
  .refine(({ created_at, expires_at = created_at }) => isLifetime(expires_at - created_at))

function isLifetime(seconds: number): boolean {
  return seconds >= 0 && seconds <= MAX_SESSION_TTL_SECONDS
}

/**
 * When a session or upload expires, as its record says. Nothing else of it is read: the rest may be of a newer version.
 * @param ttlSeconds for records of older versions
 * @returns Unix time in seconds; undefined when the bytes do not tell it
 */
export function readExpiry(bytes: Uint8Array, ttlSeconds: number): number | undefined {
  return expiryOf(parseJson(bytes), ttlSeconds)
}

/** Whether a record is missing, does not tell when it expires, or has expired. @param nowMs Unix time in milliseconds, of the store's clock */
export async function isRecordOver(
  store: Pick<ObjectStore, 'get'>,
  key: string,
  ttlSeconds: number,
  nowMs: () => number,
): Promise<boolean> {
  const bytes = await store.get(key)
  const expiresAt = bytes && readExpiry(bytes, ttlSeconds)
  return expiresAt === undefined || isExpired(expiresAt, nowMs())
}

/** `readExpiry` for a record that has been parsed. */
export function expiryOf(stored: unknown, ttlSeconds: number): number | undefined {
  const life = storedLife.safeParse(stored).data
  return life && (life.expires_at ?? life.created_at + ttlSeconds)
}
