import { randomBytes } from 'node:crypto'
import { MAX_SESSION_TTL_SECONDS } from '../config'
import type { Filmstrip, Preview, SourceStill } from '../traits'

/** The content of `session.json`. It is written last: a session exists as a whole or not at all. @see docs/decisions.md, D53 */
export type Session = Pick<
  Preview,
  'frames' | 'width' | 'height' | 'hasAudio' | 'sourceSeconds' | 'capture' | 'original'
> & {
  readonly id: string
  /** Unix time in seconds. */
  readonly createdAt: number
  /** Unix time in seconds. It is the session's own: the settings of the host that reads it do not change it. */
  readonly expiresAt: number
  readonly durationMs: number
  /** Undefined where none could be made. */
  readonly strip: Filmstrip | undefined
  /** Undefined where the source was no photo. */
  readonly still?: SourceStill | undefined
}

/** 128 random bits: the id is the permission to read the session, so it must be unguessable. */
export function newSessionId(): string {
  return randomBytes(16).toString('hex')
}

export function isSessionId(text: string): boolean {
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
