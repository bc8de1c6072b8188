import { setTimeout as sleep } from 'node:timers/promises'

// Waiting for what other processes, sockets and files do, and nothing tells of.

export type Patience = {
  /** It fails after so long. Default 100 s, so that a busy machine is not taken for a fault. */
  readonly ms?: number
  /** The pause between two looks. Default 10 ms. */
  readonly everyMs?: number
  /** What the error tells besides, such as a log. */
  readonly story?: () => string
}

/** Looks until it is so. @returns after how many milliseconds it was */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  patience: Patience = {},
): Promise<number> {
  const startedAt = performance.now()
  await eventually(
    async () => ((await isSo()) ? 'so' : `not yet: ${what}`),
    (seen) => seen === 'so',
    patience,
  )
  return performance.now() - startedAt
}

/** Looks until what is seen is right. @returns what is seen then */
export async function eventually<T>(
  look: () => Promise<T>,
  isRight: (seen: T) => boolean,
  { ms = 100_000, everyMs = 10, story = () => '' }: Patience = {},
): Promise<T> {
  for (const startedAt = performance.now(); ; await sleep(everyMs)) {
    const seen = await look()
    if (isRight(seen)) return seen
    if (performance.now() - startedAt < ms) continue
    throw new Error(`After ${ms} ms ${JSON.stringify(seen)} ${story()}`.trimEnd())
  }
}
