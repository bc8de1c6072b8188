import { equalBytes } from '@lantern-room/base'

export type KnownHost = ReturnType<typeof createKnownHost>

/**
 * The identity that a guest accepts as its host, from the search until it leaves. @see docs/decisions.md, D145
 * @param expected the key from an invitation or an earlier join
 * @param onKey called with the key that the host has proved, once
 */
export function createKnownHost(
  expected: Uint8Array | undefined,
  onKey: (key: Uint8Array) => void = () => {},
) {
  let key = expected
  let hasAnswered = false

  return {
    /** Ed25519, 32 bytes: from an invitation, an earlier join, or of the first host that answered. */
    key: (): Uint8Array | undefined => key,
    /** Neither a key nor an answer tells who the host is. */
    isUnknown: (): boolean => !hasAnswered && key === undefined,
    /** The first host that answered has no key, so that only that member is the host. */
    isKeyless: (): boolean => hasAnswered && key === undefined,
    /** Whether an answer with this key is the host's. */
    accepts: (shown: Uint8Array | undefined): boolean =>
      key === undefined || (shown !== undefined && equalBytes(key, shown)),
    /** The host has answered; the first answer decides. */
    note(shown: Uint8Array | undefined): void {
      if (hasAnswered) return
      hasAnswered = true
      key ??= shown
      if (key) onKey(key)
    },
  }
}
