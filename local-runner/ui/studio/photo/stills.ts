import { MAX_THUMBNAIL_BYTES } from '@lantern-room/formats/browser'
import { letGo } from '../../shared/memory'

/** Longest side of the thumbnail, as the service makes it. */
const THUMBNAIL_SIDE = 320
/** Longest side of the picture on the page: a browser keeps the pixels of each. */
const SHOWN_SIDE = 640

/** A picture as a JPEG, and two smaller ones. It takes the pixels. @throws Error */
export async function stillsOf(pixels: ImageData) {
  // Of the pixels a browser would make a copy for each size.
  const picture = await createImageBitmap(pixels)
  letGo(pixels.data.buffer)
  try {
    const shown = await jpegOf(await smaller(picture, SHOWN_SIDE), 0.8)
    const thumbnail = await thumbnailOf(picture)
    return { shown, thumbnail, cover: await jpegOf(picture, 0.95) }
  } finally {
    picture.close()
  }
}

async function thumbnailOf(picture: ImageBitmap) {
  for (const quality of [0.8, 0.5, 0.2]) {
    const thumbnail = await jpegOf(await smaller(picture, THUMBNAIL_SIDE), quality)
    if (thumbnail.length <= MAX_THUMBNAIL_BYTES) return thumbnail
  }
  throw new Error('The thumbnail is too large.')
}

/** @param longest most pixels of its longest side */
function smaller(picture: ImageBitmap, longest: number): Promise<ImageBitmap> {
  const scale = Math.min(1, longest / Math.max(picture.width, picture.height))
  const sized = (side: number) => Math.max(1, Math.round(side * scale))
  return createImageBitmap(picture, {
    resizeWidth: sized(picture.width),
    resizeHeight: sized(picture.height),
  })
}

/** Takes the picture. Without a 2D canvas, which would hold it three times. */
async function jpegOf(picture: ImageBitmap, quality: number) {
  const canvas = new OffscreenCanvas(picture.width, picture.height)
  canvas.getContext('bitmaprenderer')?.transferFromImageBitmap(picture)
  const blob = await canvas.convertToBlob({ type: 'image/jpeg', quality })
  // It would keep the pixels until garbage is collected.
  canvas.width = 0
  return new Uint8Array(await blob.arrayBuffer())
}
