import { type Reading, type Sized, take } from '@lantern-room/mp4/source'

const SCREEN_BYTES = 13
const DESCRIPTOR_BYTES = 9
const EXTENSION = 0x21
const IMAGE = 0x2c
/** More extensions than any animation has before its first picture, and more blocks of 255 bytes than most have in it. */
const MAX_BLOCKS = 500_000

/** Whether the data of the first image are whole. @see GIF89a, 20: "Image Descriptor" */
export function* gifPicture(file: Sized): Reading<boolean> {
  const screen = yield* take(file, 0, SCREEN_BYTES)
  if (screen.length < SCREEN_BYTES) return false
  let at = SCREEN_BYTES + paletteBytes(screen[10])
  for (let block = 0; block < MAX_BLOCKS; block++) {
    const [kind] = yield* take(file, at, at + 1)
    if (kind !== EXTENSION && kind !== IMAGE) return false
    const start = kind === EXTENSION ? at + 2 : yield* afterDescriptor(file, at + 1)
    const next = yield* afterBlocks(file, start)
    if (next === 'too many') return true
    if (next === 'cut' || kind === IMAGE) return next !== 'cut'
    at = next
  }
  return true
}

function paletteBytes(flags = 0): number {
  return (flags & 0x80) === 0 ? 0 : 3 << ((flags & 7) + 1)
}

/** @returns where the data of an image begin, behind its palette and the size of its codes */
function* afterDescriptor(file: Sized, start: number): Reading<number> {
  const descriptor = yield* take(file, start, start + DESCRIPTOR_BYTES)
  return start + DESCRIPTOR_BYTES + paletteBytes(descriptor[DESCRIPTOR_BYTES - 1]) + 1
}

/**
 * @returns where the block after the empty one begins; `cut` when the file ends before that, `too many` when it was not reached, of which
 *   nothing follows
 */
function* afterBlocks(file: Sized, start: number): Reading<number | 'cut' | 'too many'> {
  let at = start
  for (let block = 0; block < MAX_BLOCKS; block++) {
    const [size] = yield* take(file, at, at + 1)
    if (size === undefined) return 'cut'
    at += 1 + size
    if (size === 0) return at
  }
  return 'too many'
}
