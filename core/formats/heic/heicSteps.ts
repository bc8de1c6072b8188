import { viewOf } from '@lantern-room/base/bytes'
import type { Box } from '@lantern-room/mp4/boxes'
import { numberAt } from '@lantern-room/mp4/source'
import type { Size } from '../jpeg/jpegFrame'

export type HeicTurn = 'left' | 'half' | 'right' | 'upside-down' | 'mirror'

/** The part of a picture that is shown, in its pixels. */
export type HeicCrop = Size & { readonly x: number; readonly y: number }

/** What is done to a decoded picture. */
export type HeicStep = HeicTurn | HeicCrop

/** In quarters counter-clockwise. */
const ROTATIONS: readonly (readonly HeicTurn[])[] = [[], ['left'], ['half'], ['right']]

/**
 * How a picture is cropped and turned for display, in the order of its properties, in which each counts in the pixels that the one
 * before has left.
 * @param properties of the picture
 * @param stored its size as it is decoded
 * @returns undefined when one of them is cut, or a crop leaves nothing: what was cropped away is not shown instead
 * @see ISO/IEC 23008-12, 6.5.8 (irot), 6.5.10 (imir); ISO/IEC 14496-12, 12.1.4.2 (clap)
 */
export function readHeicSteps(properties: readonly Box[], stored: Size): HeicStep[] | undefined {
  const steps: HeicStep[] = []
  for (const box of properties) {
    const found = stepsOf(box, shownSize(stored, steps))
    if (!found) return undefined
    steps.push(...found)
  }
  return steps
}

/**
 * The size of a picture after its steps.
 * @example
 * const { width, height } = shownSize(picture.size, picture.steps)
 */
export function shownSize(stored: Size, steps: readonly HeicStep[]): Size {
  let size = stored
  for (const step of steps) {
    if (typeof step !== 'string') size = { width: step.width, height: step.height }
    else if (step === 'left' || step === 'right') size = { width: size.height, height: size.width }
  }
  return size
}

/** The same steps for a picture of the same content and another size. */
export function scaledSteps(steps: readonly HeicStep[], from: Size, to: Size): HeicStep[] {
  const scaled: HeicStep[] = []
  let [before, after] = [from, to]
  for (const step of steps) {
    const own = typeof step === 'string' ? step : scaledCrop(step, before, after)
    scaled.push(own)
    before = shownSize(before, [step])
    after = shownSize(after, [own])
  }
  return scaled
}

function scaledCrop({ x, y, width, height }: HeicCrop, from: Size, to: Size): HeicCrop {
  const across = spanOf(x, width, from.width, to.width)
  const down = spanOf(y, height, from.height, to.height)
  return { x: across.start, y: down.start, width: across.length, height: down.length }
}

function spanOf(start: number, length: number, from: number, to: number) {
  const first = Math.min(to - 1, Math.round((start * to) / from))
  const end = Math.max(first + 1, Math.round(((start + length) * to) / from))
  return { start: first, length: end - first }
}

/** @returns undefined when the property is damaged; none for another property */
function stepsOf({ type, body }: Box, size: Size): readonly HeicStep[] | undefined {
  if (type === 'clap') return cropOf(body, size)
  if (type !== 'irot' && type !== 'imir') return []
  if (body.length === 0) return undefined
  if (type === 'irot') return ROTATIONS[numberAt(body, 0) & 3]
  return [numberAt(body, 0) & 1 ? 'mirror' : 'upside-down']
}

/** Bytes of a clean aperture: four fractions. */
const CLAP_BYTES = 32

/**
 * The width and height of what is shown, and how far its middle lies from the picture's: fractions whose parts of pixels are cut off, as
 * libheif does.
 */
function cropOf(clap: Uint8Array, size: Size): HeicCrop[] | undefined {
  if (clap.length < CLAP_BYTES) return undefined
  const view = viewOf(clap)
  const fraction = (at: number) => view.getInt32(at) / view.getUint32(at + 4)
  const side = (length: number, from: number, offset: number) => {
    const start = Math.floor((from - length) / 2 + offset)
    const end = start + Math.floor(length)
    return { start: Math.max(0, start), end: Math.min(from, end) }
  }
  const across = side(fraction(0), size.width, fraction(16))
  const down = side(fraction(8), size.height, fraction(24))
  const width = across.end - across.start
  const height = down.end - down.start
  // NaN of a fraction by 0, too.
  if (!(width > 0 && height > 0)) return undefined
  return [{ x: across.start, y: down.start, width, height }]
}
