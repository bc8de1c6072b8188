import { MAX_THUMBNAIL_BYTES } from '@lantern-room/formats/browser'

/** Longest side of the thumbnail, as the service makes it. */
const THUMBNAIL_SIDE = 320
/** Longest side of the picture on the page: a browser keeps the pixels of each. */
const SHOWN_SIDE = 640

/** A picture as a JPEG, and two smaller ones. @throws Error */
export async function stillsOf(pixels: ImageData) {
  const cover = await jpegOf(pixels, 0.95)
  const shown = await jpegOf(pixels, 0.8, SHOWN_SIDE)
  for (const quality of [0.8, 0.5, 0.2]) {
    const thumbnail = await jpegOf(pixels, quality, THUMBNAIL_SIDE)
    if (thumbnail.length <= MAX_THUMBNAIL_BYTES) return { cover, thumbnail, shown }
  }
  throw new Error('The thumbnail is too large.')
}

/** Without a 2D canvas, which would hold the picture three times. @param longest most pixels of its longest side */
async function jpegOf(pixels: ImageData, quality: number, longest = Number.POSITIVE_INFINITY) {
  const scale = Math.min(1, longest / Math.max(pixels.width, pixels.height))
  const resizeWidth = Math.max(1, Math.round(pixels.width * scale))
  const resizeHeight = Math.max(1, Math.round(pixels.height * scale))
  const canvas = new OffscreenCanvas(resizeWidth, resizeHeight)
  const picture = await createImageBitmap(pixels, { resizeWidth, resizeHeight })
  canvas.getContext('bitmaprenderer')?.transferFromImageBitmap(picture)
  const blob = await canvas.convertToBlob({ type: 'image/jpeg', quality })
  return new Uint8Array(await blob.arrayBuffer())
}
