import type { ByteSource } from '@lantern-room/formats'

/** The same bytes. @returns with it the ranges that were read, in order */
export function countingSource(source: ByteSource) {
  const reads: (readonly [start: number, end: number])[] = []
  const counted: ByteSource = {
    size: source.size,
    read: (start, end) => {
      reads.push([start, end])
      return source.read(start, end)
    },
  }
  return { source: counted, reads }
}

/** Zeros that need no memory until they are read. */
export function zerosSource(size: number): ByteSource {
  return { size, read: async (start, end) => new Uint8Array(end - start) }
}
