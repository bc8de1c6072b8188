import { photoBaseName, wallClock } from '#core/formats/exif/wallClock'
import type { MotionPhoto } from '#core/formats/motionPhoto/read'
import { bytesOfParts, type FileParts, sizeOfParts } from '#core/formats/source/fileParts'
import { parseMoment } from '../capture/moment'
import type { ReceivedPhoto } from './openPhoto'

export type MadeFile = {
  readonly name: string
  readonly mediaType: string
  readonly size: number
  readonly bytes: AsyncIterator<Uint8Array, void>
}

/** A file to be sent. `body` must be read to its end or cancelled; only then are temporary files removed. */
export type PhotoFile = Omit<MadeFile, 'bytes'> & { readonly body: ReadableStream<Uint8Array> }

/** A stream of bytes that closes what they are read from at its end, when cancelled, and when reading fails. */
export function streamOf(
  bytes: AsyncIterator<Uint8Array, void>,
  close: () => Promise<void>,
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await bytes.next()
          if (!done) return controller.enqueue(value)
          await close()
          controller.close()
        } catch (error) {
          await close()
          controller.error(error)
        }
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  )
}

export async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes
}

export function partsFile(
  { source }: ReceivedPhoto,
  parts: FileParts,
  named: Pick<MadeFile, 'name' | 'mediaType'>,
): MadeFile {
  return { ...named, size: sizeOfParts(parts), bytes: bytesOfParts(parts, source) }
}

/** `IMG_YYYYMMDD_HHMMSS` by the time in its EXIF, as phones name photos. */
export function photoName({ exif }: MotionPhoto): string {
  const time = parseMoment(exif?.dateTimeOriginal ?? exif?.dateTime ?? '')
  return time ? photoBaseName(wallClock(new Date(time.unixMs), 0)) : 'photo'
}
