import { type Reading, type Sized, take } from '../source/reading'

const SCREEN_BYTES = 13
const DESCRIPTOR_BYTES = 9
const EXTENSION = 0x21
const IMAGE = 0x2c
/** More extensions than any animation has before its first picture, and more blocks of 255 bytes than any has in it. */
const MAX_BLOCKS = 500_000

/** Whether the data of the first image are whole. @see GIF89a, 20: "Image Descriptor" */
export function* gifPicture(file: Sized): Reading<boolean> {
  const screen = yield* take(file, 0, SCREEN_BYTES)
  if (screen.length < SCREEN_BYTES) return false
  let at = SCREEN_BYTES + paletteBytes(screen[10])
  for (let block = 0; block < MAX_BLOCKS; block++) {
    const [kind] = yield* take(file, at, at + 1)
    if (kind === EXTENSION) at = (yield* afterBlocks(file, at + 2)) ?? file.size
    else if (kind === IMAGE) {
      const descriptor = yield* take(file, at + 1, at + 1 + DESCRIPTOR_BYTES)
      const palette = paletteBytes(descriptor[DESCRIPTOR_BYTES - 1])
      return (yield* afterBlocks(file, at + 1 + DESCRIPTOR_BYTES + palette + 1)) !== undefined
    } else return false
  }
  return true
}

function paletteBytes(flags = 0): number {
  return (flags & 0x80) === 0 ? 0 : 3 << ((flags & 7) + 1)
}

/** @returns where the block after the empty one begins, or undefined when the file ends before */
function* afterBlocks(file: Sized, start: number): Reading<number | undefined> {
  let at = start
  for (let block = 0; block < MAX_BLOCKS; block++) {
    const [size] = yield* take(file, at, at + 1)
    if (size === undefined) return undefined
    at += 1 + size
    if (size === 0) return at
  }
  return at
}
