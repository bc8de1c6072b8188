const SLAB_SIZE = 32 * 1024

/**
 * Memory for packets, cut from larger pieces: a typed array of its own costs more than to fill it. Nothing is used twice, so
 * what is cut off belongs to whoever has it; it keeps the whole piece alive.
 */
export function createSlab(): (size: number) => Uint8Array {
  let slab = new Uint8Array(0)
  let used = 0
  return (size) => {
    if (size > SLAB_SIZE / 4) return new Uint8Array(size)
    if (used + size > slab.length) {
      slab = new Uint8Array(SLAB_SIZE)
      used = 0
    }
    const start = used
    // Packets begin at whole words.
    used += (size + 7) & ~7
    return slab.subarray(start, start + size)
  }
}
