import { useEffect, useState } from 'preact/hooks'
import { type Cut, lengthOf } from './photo/cut'
import { inWorker } from './photo/inWorker'
import { options, type PhotoOptions } from './photo/options'
import { sizeOfSource } from './photo/records'
import { cut, type Opened, previewBytes } from './state/store'

/** While something is dragged nothing is measured. */
const SETTLED_MS = 250

/** About how many bytes the photo will have; undefined where that cannot be told. */
export function useEstimate(video: Opened): number | undefined {
  const [bytes, setBytes] = useState<number | undefined>(undefined)
  const [chosen, range, preview] = [options.value, cut.value, previewBytes.value]
  useEffect(() => {
    let isCurrent = true
    const timer = setTimeout(async () => {
      const measured = await bytesOf(video, chosen, range, preview).catch(() => undefined)
      if (isCurrent) setBytes(measured)
    }, SETTLED_MS)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [video, chosen, range, preview])
  return bytes
}

async function bytesOf(video: Opened, chosen: PhotoOptions, range: Cut, preview: number | undefined) {
  const clip = await clipBytes(video, chosen, range, preview)
  const still = await stillBytes(video, chosen)
  return clip === undefined ? undefined : Math.round(clip * chosen.repeat + still)
}

/** Of a clip that is copied, those of its samples; of others by the rate at which the service encodes. */
async function clipBytes(video: Opened, chosen: PhotoOptions, range: Cut, preview: number | undefined) {
  const { local, frames } = video
  const share = ((range.end - range.start) / frames) * (preview ?? Number.NaN)
  if (!local) return chosen.isOriginal || preview === undefined ? undefined : share
  const copied = await inWorker('weigh', local.file, range, chosen.keepsSound)
  return encodesAnew(chosen) ? encodedBytes(video, chosen, range, copied ?? share) : copied
}

function encodesAnew(chosen: PhotoOptions): boolean {
  return chosen.crop !== undefined || chosen.repeat > 1 || !chosen.isOriginal
}

/** Of the bytes that a copy has: the service's pictures are smaller, and coded with fewer tools. */
const OF_A_COPY = 0.6
/** The most of its encoding: level 3.1. */
const MOST_BYTES_PER_SECOND = 14e6 / 8

function encodedBytes(video: Opened, chosen: PhotoOptions, range: Cut, copied: number): number {
  const { width, height } = sizeOfSource(video)
  const part = chosen.crop ? (chosen.crop.width * chosen.crop.height) / (width * height) : 1
  const most = MOST_BYTES_PER_SECOND * lengthOf(range, chosen.speed)
  return Math.min(copied * part * OF_A_COPY, most)
}

/** The side of the picture that is tried. */
const TRIED = 960
/** A smaller picture takes more bytes for each pixel. */
const OF_SMALLER = 0.8
/** Of a finished picture that is kept. */
const TAIL_BYTES = 20_000

/** The still's, as a smaller one of the same scene has them. */
async function stillBytes(video: Opened, { crop, cover, coverFile }: PhotoOptions): Promise<number> {
  if (cover === 'file' && coverFile) return coverFile.size
  const { player } = video
  const { width, height } = sizeOfSource(video)
  const pixels = crop ? crop.width * crop.height : width * height
  const scale = Math.min(1, TRIED / Math.max(player.videoWidth, player.videoHeight, 1))
  const size = [player.videoWidth * scale, player.videoHeight * scale].map(Math.round)
  const [across = 0, down = 0] = size
  if (across === 0 || down === 0) return pixels / 3 + TAIL_BYTES
  const canvas = new OffscreenCanvas(across, down)
  canvas.getContext('2d')?.drawImage(player, 0, 0, across, down)
  const tried = await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.95 })
  const rate = (tried.size / (across * down)) * (scale < 1 ? OF_SMALLER : 1)
  return rate * pixels + TAIL_BYTES
}
