import { randomBytes } from 'node:crypto'
import { parseJson } from '@lantern-room/base/bytes'
import { z } from 'zod'
import { MAX_SESSION_TTL_SECONDS } from '../config'
import { encodeFields, type Fields, fieldsOf } from '../storedFields'
import { filmstrip, originalTraits, recording, sourceStill } from '../traits'

/** The content of `session.json`. It is written last: a session exists as a whole or not at all. @see docs/decisions.md, D53 */
const sessionRecord = z.object({
  session_id: z.string(),
  /** Unix time in seconds. */
  created_at: z.number(),
  /** Unix time in seconds. It is the session's own: the settings of the host that reads it do not change it. */
  expires_at: z.int(),
  duration_ms: z.int(),
  /** Those of the preview: @see Preview */
  frames: z.int().positive(),
  width: z.int().positive(),
  height: z.int().positive(),
  has_audio: z.boolean(),
  source_seconds: z.number().nonnegative().nullable(),
  /** Null where none could be made. */
  strip: filmstrip.nullable(),
  capture: recording,
  /** Absent where the source was no photo. */
  still: sourceStill.nullish(),
  original: originalTraits,
  /** The name of the client that it was made for; absent where it has none. */
  client: z.string().nullish(),
})

export type Session = Omit<Fields<z.infer<typeof sessionRecord>>, 'sessionId'> & { readonly id: string }

/** Where the preview is, which the key of the record says too, is written for others that read it. */
export function encodeSession({ id, ...fields }: Session): Uint8Array {
  const videoPath = sessionKeys(id).preview
  return encodeFields<z.infer<typeof sessionRecord> & { video_path: string }>({
    sessionId: id,
    videoPath,
    ...fields,
  })
}

/** @returns undefined when the bytes are no session record */
export function decodeSession(bytes: Uint8Array): Session | undefined {
  const stored = sessionRecord.refine(hasLifetime).safeParse(parseJson(bytes)).data
  if (!stored) return undefined
  const { sessionId, ...fields } = fieldsOf(stored)
  return { id: sessionId, ...fields }
}

/** 128 random bits: the id is the permission to read the session, or to use the upload, so it must be unguessable. */
export function newId(): string {
  return randomBytes(16).toString('hex')
}

export function isId(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text)
}

export const sessionKeys = (id: string) => ({
  record: `sessions/${id}/session.json`,
  preview: `sessions/${id}/preview.mp4`,
  original: `sessions/${id}/original`,
  strip: `sessions/${id}/strip.jpg`,
  still: `sessions/${id}/still`,
})

/** The key of an empty object that tells in a listing when the session expires, so that a sweep reads no records. */
export function expiryKey(id: string, expiresAt: number): string {
  return `sessions/${id}/expires-${expiresAt}`
}

/** The key of an empty object that tells in a listing for which client with a name a session was made. */
function clientKey(id: string, client: string): string {
  return `sessions/${id}/client-${client}`
}

/** The keys of the empty objects that tell of a session in a listing. */
export function toldKeys({ id, expiresAt, client }: Pick<Session, 'id' | 'expiresAt' | 'client'>): string[] {
  const expiry = expiryKey(id, expiresAt)
  return client === undefined ? [expiry] : [expiry, clientKey(id, client)]
}

/** @returns the name of the client; undefined when none of a session's keys tells it */
export function clientIn(keys: readonly string[]): string | undefined {
  return keys.flatMap((key) => /\/client-([\w.-]+)$/.exec(key)?.[1] ?? [])[0]
}

/** @returns Unix time in seconds; undefined when none of a session's keys tells it */
export function expiryIn(keys: readonly string[]): number | undefined {
  const found = keys.flatMap((key) => /\/expires-(\d{1,12})$/.exec(key)?.[1] ?? [])
  return found.length === 0 ? undefined : Math.max(...found.map(Number))
}

/** @returns the id in a key below `sessions/`, or undefined for any other key */
export function sessionIdOfKey(key: string): string | undefined {
  return /^sessions\/([0-9a-f]{32})\//.exec(key)?.[1]
}

/** Whether a record of a session or upload says a possible time, both in Unix time in seconds. */
export function hasLifetime(record: { readonly created_at: number; readonly expires_at: number }): boolean {
  const seconds = record.expires_at - record.created_at
  return seconds >= 0 && seconds <= MAX_SESSION_TTL_SECONDS
}

/** @param nowMs Unix time in milliseconds */
export function isExpired(expiresAtSeconds: number, nowMs: number): boolean {
  return nowMs / 1000 > expiresAtSeconds
}
