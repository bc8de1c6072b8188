import type { TextStore } from '@lantern-room/room/ports'

/** A text file in memory. */
export type MemoryText = TextStore & {
  text: string | undefined
  /** The longest text, in characters, that can be written: a longer one finds the disk full. */
  capacity: number
}

/** @param text what the file has at first; `undefined`: there is none */
export function createMemoryText(text?: string): MemoryText {
  const file: MemoryText = {
    text,
    capacity: Number.POSITIVE_INFINITY,
    read: async () => file.text,
    async write(next) {
      if (next.length > file.capacity) throw new Error('the disk is full')
      file.text = next
    },
    async remove() {
      file.text = undefined
    },
  }
  return file
}
