/** A session that this browser has made, until it expires. */
export type RememberedSession = {
  readonly id: string
  /** The file's name, for the user. */
  readonly name: string
  /** Unix time in seconds. */
  readonly expiresAt: number
}

const MAX_REMEMBERED = 20

/** Reads what was stored, newest first. Anything that is no list of ours is none. @param now Unix time in seconds */
export function readRemembered(stored: string | null, now: number): readonly RememberedSession[] {
  try {
    const list: unknown = JSON.parse(stored ?? '[]')
    return Array.isArray(list) ? list.filter(isRemembered).filter(({ expiresAt }) => expiresAt > now) : []
  } catch {
    return []
  }
}

export function withSession(
  list: readonly RememberedSession[],
  session: RememberedSession,
): readonly RememberedSession[] {
  return [session, ...withoutSession(list, session.id)].slice(0, MAX_REMEMBERED)
}

export function withoutSession(list: readonly RememberedSession[], id: string): readonly RememberedSession[] {
  return list.filter((one) => one.id !== id)
}

function isRemembered(value: unknown): value is RememberedSession {
  if (typeof value !== 'object' || value === null) return false
  const { id, name, expiresAt } = value as Partial<RememberedSession>
  return (
    typeof id === 'string' && /^\w+$/.test(id) && typeof name === 'string' && typeof expiresAt === 'number'
  )
}
