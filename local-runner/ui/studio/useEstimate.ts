import { useEffect, useState } from 'preact/hooks'
import type { Cut } from './photo/cut'
import { inWorker, inWorkerByParts } from './photo/inWorker'
import { isAwake } from './photo/localVideo'
import { options, type PhotoOptions } from './photo/options'
import { sizeOfSource } from './photo/records'
import type { Tasks, WantedPart } from './photo/worker'
import { cut, type Opened, previewBytes } from './state/store'

/** While something is dragged nothing is measured. */
const SETTLED_MS = 250

/** About how many bytes the photo will have; undefined where that cannot be told. With it, whether that is still being found out. */
export function useEstimate(video: Opened): readonly [bytes: number | undefined, isBusy: boolean] {
  const [[bytes, of, at], setBytes] = useState<
    readonly [bytes?: number | undefined, of?: unknown, at?: unknown]
  >([])
  const [chosen, range, preview] = [options.value, cut.value, previewBytes.value]
  useEffect(() => {
    let isCurrent = true
    const timer = setTimeout(async () => {
      const measured = await bytesOf(video, chosen, range, preview).catch(() => undefined)
      if (isCurrent) setBytes([measured, chosen, range])
    }, SETTLED_MS)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [video, chosen, range, preview])
  return [bytes, of !== chosen || at !== range]
}

async function bytesOf(video: Opened, chosen: PhotoOptions, range: Cut, preview: number | undefined) {
  const { local, frames, player } = video
  const size = sizeOfSource(video)
  const clip = local
    ? await inWorker('weigh', local.file, range, size, chosen)
    : await weighPreview({ address: player.src, size: preview, frames }, range, size, chosen)
  return clip === undefined ? undefined : clip + (await stillBytes(video, chosen))
}

type Weighed = Parameters<Tasks['weighPreviewOf']>

/** Reads the parts of the preview that the worker asks for; it gets none from a server without ranges. */
function weighPreview(of: Weighed[0], range: Cut, size: Weighed[2], chosen: PhotoOptions) {
  const onPart = async ({ part, start, end }: WantedPart) => {
    const bytes = await fetch(of.address, { headers: { Range: `bytes=${start}-${end - 1}` } })
      .then((answer) => (answer.status === 206 ? answer.arrayBuffer() : undefined))
      .catch(() => undefined)
    return inWorker('takePart', part, bytes)
  }
  return inWorkerByParts(onPart, 'weighPreviewOf', of, range, size, chosen)
}

/** The most pixels of a side of the picture that is tried. */
const TRIED = 1920

/** Of the picture that is shown. */
async function stillBytes(video: Opened, chosen: PhotoOptions): Promise<number> {
  const { player } = video
  const { cover, coverFile } = chosen
  if (cover === 'file' && coverFile) return coverFile.size
  await isAwake()
  const { videoWidth: width, videoHeight: height } = player
  const scale = Math.min(1, TRIED / Math.max(width, height))
  const size = { resizeWidth: Math.round(width * scale), resizeHeight: Math.round(height * scale) }
  // A preview has fewer pixels than what the service takes its still from.
  return inWorker('weighStill', await createImageBitmap(player, size), sizeOfSource(video).width, chosen)
}
