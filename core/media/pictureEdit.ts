import { ServiceError } from '@lantern-room/base'
import type { Size } from '@lantern-room/formats'
import type { PixelChange } from '@lantern-room/formats/pictures'

/** Degrees clockwise. */
export const ROTATIONS = [0, 90, 180, 270] as const
export type Rotation = (typeof ROTATIONS)[number]

/** The largest part of a shape, from the middle; or a rectangle in pixels of the source as it is shown. */
export type Crop =
  | { readonly kind: 'ratio'; readonly width: number; readonly height: number }
  | {
      readonly kind: 'pixels'
      readonly width: number
      readonly height: number
      /** Undefined: from the middle. */
      readonly corner: { readonly x: number; readonly y: number } | undefined
    }

/** An edit of cover and clip alike: first a crop, then a rotation. */
export type PictureEdit = { readonly crop: Crop | undefined; readonly rotate: Rotation }

/** A part of a picture, in pixels. */
export type Rect = Size & { readonly x: number; readonly y: number }

/** Smaller pictures cannot be encoded everywhere. */
const MIN_SIDE = 16

const RATIO = /^(\d{1,4}(?:\.\d{1,4})?):(\d{1,4}(?:\.\d{1,4})?)$/
const PIXELS = /^(\d{1,5})x(\d{1,5})(?:\+(\d{1,5})\+(\d{1,5}))?$/

/** How a crop is written, for messages. */
export const CROP_FORMS = 'a ratio such as 1:1, or pixels such as 720x720 or 720x720+280+0'

/**
 * @returns undefined when the text is neither a ratio (`9:16`) nor pixels (`720x720`, `720x720+280+0`)
 * @example parseCrop('1:1') // { kind: 'ratio', width: 1, height: 1 }
 */
export function parseCrop(text: string): Crop | undefined {
  const [, across, down] = RATIO.exec(text) ?? []
  if (across !== undefined) {
    const [width, height] = [Number(across), Number(down)]
    return width > 0 && height > 0 ? { kind: 'ratio', width, height } : undefined
  }
  const [, columns, rows, x, y] = PIXELS.exec(text) ?? []
  if (columns === undefined) return undefined
  const corner = x === undefined ? undefined : { x: Number(x), y: Number(y) }
  return { kind: 'pixels', width: Number(columns), height: Number(rows), corner }
}

/** @example parseRotation('90') // 90 */
export function parseRotation(text: string): Rotation | undefined {
  return ROTATIONS.find((known) => String(known) === text)
}

/**
 * Refuses a crop that does not lie in a picture, or is too small.
 * @param size of the source as it is shown
 * @throws ServiceError `out-of-range`
 */
export function checkCrop(crop: Crop | undefined, size: Size): void {
  if (!crop) return
  const { width, height, x, y } = cropOf(crop, size)
  const isInside = x >= 0 && y >= 0 && x + width <= size.width && y + height <= size.height
  if (isInside && width >= MIN_SIDE && height >= MIN_SIDE) return
  throw new ServiceError(
    'out-of-range',
    (nameOf) =>
      `${nameOf('crop')} must be a part of the picture, which is ${size.width}x${size.height} pixels, and at least ${MIN_SIDE} pixels wide and high.`,
  )
}

/**
 * The part of a picture that a crop leaves, with even sides and places, as 4:2:0 needs them.
 * @param source whose pixels the crop counts
 * @param size of the picture: the source's, or that of a smaller one of the same content
 */
export function cropRect(crop: Crop, source: Size, size: Size): Rect {
  const part = crop.kind === 'ratio' ? cropOf(crop, size) : cropOf(crop, source)
  const reference = crop.kind === 'ratio' ? size : source
  const across = size.width / reference.width
  const down = size.height / reference.height
  const width = even(part.width * across, size.width)
  const height = even(part.height * down, size.height)
  return {
    width,
    height,
    x: placed(part.x * across, size.width - width),
    y: placed(part.y * down, size.height - height),
  }
}

function cropOf(crop: Crop, size: Size): Rect {
  const isRatio = crop.kind === 'ratio'
  const scale = isRatio ? Math.min(size.width / crop.width, size.height / crop.height) : 1
  const [width, height] = [crop.width * scale, crop.height * scale]
  const middle = { x: (size.width - width) / 2, y: (size.height - height) / 2 }
  return { width, height, ...((isRatio ? undefined : crop.corner) ?? middle) }
}

function even(length: number, most: number): number {
  const rounded = Math.round(length / 2) * 2
  return Math.max(2, Math.min(rounded, Math.floor(most / 2) * 2))
}

function placed(start: number, most: number): number {
  return Math.max(0, Math.min(Math.round(start / 2) * 2, most))
}

/**
 * The filters of an edit, to follow a picture of this size.
 * @param source whose pixels the crop counts
 * @returns empty when nothing is done
 */
export function editFilters({ crop, rotate }: PictureEdit, source: Size, size: Size): string[] {
  if (!crop) return [...TURNS[rotate]]
  const { width, height, x, y } = cropRect(crop, source, size)
  return [`crop=${width}:${height}:${x}:${y}`, ...TURNS[rotate]]
}

/**
 * What does to a picture as it is what an edit does to it after a turn.
 * @param turn degrees clockwise
 * @param source the picture as it is; the edit's crop counts in the pixels of the turned one
 */
export function afterTurn({ crop, rotate }: PictureEdit, turn: Rotation, source: Size): PictureEdit {
  const sum = (rotate + turn) % 360
  return {
    crop: crop && cropBefore(crop, turn, source),
    rotate: ROTATIONS.find((known) => known === sum) ?? 0,
  }
}

function cropBefore(crop: Crop, turn: Rotation, { width, height }: Size): Crop {
  const size = turn % 180 === 0 ? crop : turned(crop)
  if (crop.kind === 'ratio' || !crop.corner) return { ...crop, width: size.width, height: size.height }
  const { x, y } = crop.corner
  const corners = {
    0: { x, y },
    90: { x: y, y: height - x - crop.width },
    180: { x: width - x - crop.width, y: height - y - crop.height },
    270: { x: width - y - crop.height, y: x },
  }
  return { kind: 'pixels', width: size.width, height: size.height, corner: corners[turn] }
}

/** Pixels of a picture after an edit. @param source the picture, whose pixels the crop counts */
export function editedSize({ crop, rotate }: PictureEdit, source: Size): Size {
  const { width, height } = crop ? cropRect(crop, source, source) : source
  return rotate % 180 === 0 ? { width, height } : turned({ width, height })
}

export function turned({ width, height }: Size): Size {
  return { width: height, height: width }
}

/** As `editFilters`, for a picture of the same content whose size is not known. */
export function scaledEditFilters({ crop, rotate }: PictureEdit, source: Size): string[] {
  if (!crop) return [...TURNS[rotate]]
  const { width, height, x, y } = cropRect(crop, source, source)
  const even = (side: string, share: number) => `'max(2,2*round(${side}*${share}/2))'`
  const size = `${even('iw', width / source.width)}:${even('ih', height / source.height)}`
  return [`crop=${size}:iw*${x / source.width}:ih*${y / source.height}`, ...TURNS[rotate]]
}

const TURNS: Readonly<Record<Rotation, readonly string[]>> = {
  0: [],
  90: ['transpose=clock'],
  180: ['hflip', 'vflip'],
  270: ['transpose=cclock'],
}

/** The filters that show a stored picture upright. @param orientation of EXIF, 1 to 8 @see CIPA DC-008, 4.6.4 */
export function uprightFilters(orientation: number): readonly string[] {
  return UPRIGHT[orientation] ?? []
}

const UPRIGHT: Readonly<Record<number, readonly string[]>> = {
  2: ['hflip'],
  3: ['hflip', 'vflip'],
  4: ['vflip'],
  5: ['transpose=cclock_flip'],
  6: ['transpose=clock'],
  7: ['transpose=clock_flip'],
  8: ['transpose=cclock'],
}

/** The orientation of a picture that is turned by a quarter, clockwise. */
const TURNED: Readonly<Record<number, number>> = { 1: 6, 6: 3, 3: 8, 8: 1, 2: 7, 7: 4, 4: 5, 5: 2 }

/** The orientation of EXIF with a rotation after it, so that no pixel needs to move. */
export function turnedOrientation(orientation: number, rotate: Rotation): number {
  let result = orientation
  for (let degrees = 0; degrees < rotate; degrees += 90) result = TURNED[result] ?? result
  return result
}

/** Whether a picture of this orientation is shown with its sides exchanged. */
export function isSideways(orientation: number): boolean {
  return orientation >= 5
}

/** What has become of a picture, with an edit after it. @param source whose pixels the crop counts */
export function editedPixels(pixels: PixelChange, { crop, rotate }: PictureEdit, source: Size): PixelChange {
  const cropped = crop ? pixels.cropped(cropRect(crop, source, pixels.to)) : pixels
  return cropped.turned(turnedOrientation(1, rotate))
}
