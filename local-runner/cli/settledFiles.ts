/** A file as it was at a look into its folder. */
export type SeenFile = { readonly name: string; readonly size: number; readonly modifiedMs: number }

/** What is known of the files of a folder: by name, as which content each was last seen, and given out. */
export type Seen = ReadonlyMap<string, { readonly mark: string; readonly isGiven: boolean }>

export const NOTHING_SEEN: Seen = new Map()

/** What people call videos and animated images. What else comes into a folder is left alone. */
const VIDEO = /\.(mp4|mov|m4v|3gp|3g2|mkv|webm|avi|m?ts|m2ts|mpe?g|flv|wmv|asf|og[gv]|gif|apng|webp|avif)$/i

/**
 * Finds the files that are whole: neither their size nor their time has changed since the look before. Each is given once, and
 * again when it changes afterwards.
 */
export function nextLook(
  seen: Seen,
  files: readonly SeenFile[],
): { readonly ready: readonly string[]; readonly seen: Seen } {
  const next = new Map<string, { mark: string; isGiven: boolean }>()
  const ready: string[] = []
  for (const { name, size, modifiedMs } of files) {
    if (!VIDEO.test(name) || name.startsWith('.') || size === 0) continue
    const mark = `${size} ${modifiedMs}`
    const before = seen.get(name)
    const isWhole = before?.mark === mark
    if (isWhole && !before.isGiven) ready.push(name)
    next.set(name, { mark, isGiven: isWhole })
  }
  return { ready, seen: next }
}
