const SLAB_SIZE = 32 * 1024

/**
 * Memory for packets, cut from larger buffers: creating a typed array of its own costs more than filling it. No part
 * is used twice, so that it belongs to the caller, but it keeps the whole buffer alive.
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
    // Packets are aligned to words.
    used += (size + 7) & ~7
    return slab.subarray(start, start + size)
  }
}
