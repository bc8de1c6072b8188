import { createReadStream } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { ServiceError } from '@lantern-room/base'
import type { WebpAnimation, WebpDecoder } from '@lantern-room/media/ports'
import type { Sharp, SharpOptions } from 'sharp'

const MAX_FRAME_PIXELS = 36_000_000
const MAX_FRAMES = 3000
/** Limit of the decoded pixels in memory at once. */
const BATCH_BYTES = 64 * 1024 * 1024
/** Browsers show a frame with a delay of 10 ms or less for 100 ms. */
const SHORTEST_DELAY_MS = 10
const DEFAULT_DELAY_MS = 100

/**
 * Reads still and animated WebP with `sharp`, an optional package.
 * @param load gives sharp, or undefined where it is not installed: then `open` resolves with undefined. @default imports the package
 * @returns a decoder that throws ServiceError `invalid-request` for a broken file, `payload-too-large` above 36 megapixels or 3,000 frames
 * @example
 * const animation = await createSharpWebp().open('/tmp/work/upload')
 * if (animation) for await (const rgb of animation.frames(signal)) encoder.write(rgb)
 */
export function createSharpWebp(load: () => Promise<OpenSharp | undefined> = loadSharp): WebpDecoder {
  return {
    async open(path) {
      const sharp = await load()
      if (sharp === undefined) return undefined
      if (!(await isWebp(path))) unreadable(new Error('no RIFF WEBP header'))
      return readAnimation(sharp, path)
    },
  }
}

export type OpenSharp = (path: string, options: SharpOptions) => Sharp

async function loadSharp(): Promise<OpenSharp | undefined> {
  try {
    const { default: sharp } = await import('sharp')
    // sharp caches files by path, open and decoded; our paths are never read twice.
    sharp.cache(false)
    return sharp
  } catch {
    return undefined
  }
}

/** Checked by us, because sharp would read an SVG, a PDF or a TIFF as well. */
async function isWebp(path: string): Promise<boolean> {
  const head = await buffer(createReadStream(path, { end: 11 }))
  return head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WEBP'
}

async function readAnimation(sharp: OpenSharp, path: string): Promise<WebpAnimation> {
  // The limits below count one frame; sharp's own counts all frames together.
  const input = { limitInputPixels: false } as const
  const metadata = await sharp(path, { ...input, pages: -1 })
    .metadata()
    .catch(unreadable)
  const width = metadata.width
  const height = metadata.pageHeight ?? metadata.height
  const count = metadata.pages ?? 1
  if (width * height > MAX_FRAME_PIXELS || count > MAX_FRAMES) {
    throw new ServiceError(
      'payload-too-large',
      `The picture is too large: at most ${MAX_FRAME_PIXELS / 1e6} megapixels and ${MAX_FRAMES} frames can be read.`,
    )
  }

  const frameBytes = width * height * 3
  const batch = Math.max(1, Math.floor(BATCH_BYTES / (width * height * 4)))
  return {
    width,
    height,
    delaysMs: Array.from({ length: count }, (_, index) => {
      const delay = metadata.delay?.[index] ?? 0
      return delay <= SHORTEST_DELAY_MS ? DEFAULT_DELAY_MS : delay
    }),
    async *frames(signal) {
      for (let page = 0; page < count; page += batch) {
        signal.throwIfAborted()
        const pages = Math.min(batch, count - page)
        const image = sharp(path, { ...input, page, pages }).flatten({ background: '#fff' })
        const pixels = await image.toColourspace('srgb').raw().toBuffer().catch(unreadable)
        if (pixels.length !== frameBytes * pages) unreadable(new Error(`${pixels.length} bytes of pixels`))
        for (let frame = 0; frame < pages; frame++)
          yield new Uint8Array(pixels.buffer, pixels.byteOffset + frame * frameBytes, frameBytes)
      }
    },
  }
}

function unreadable(cause: unknown): never {
  throw new ServiceError('invalid-request', 'The image is broken or incomplete. Send the original file.', {
    cause,
  })
}
