import { isHeicHead } from '@lantern-room/formats/browser'
import { FPS } from './cut'
import { inWorker } from './inWorker'

/** A photo of which the page says where it plays. */
export type Examined = Awaited<ReturnType<typeof examine>>

/** Whether a file is a JPEG or HEIC, as the pictures of motion photos are. */
export async function isPhoto(file: File): Promise<boolean> {
  const head = new Uint8Array(await file.slice(0, 12).arrayBuffer())
  return (head[0] === 0xff && head[1] === 0xd8) || isHeicHead(head)
}

/**
 * Judges a photo. Its bytes are read in parts, and none is sent.
 * @returns no `inspection` of a picture that no gallery takes for a motion photo; `clip` and `still`, the addresses of its video and of
 *   itself, are valid for as long as the page is open
 */
export async function examine(file: File, name: string) {
  const inspection = await inWorker('judge', file)
  const place = inspection?.clip
  const clip = place && URL.createObjectURL(file.slice(place.offset, place.offset + place.bytes, 'video/mp4'))
  return { file, name, inspection, clip: clip ?? undefined, still: URL.createObjectURL(file) }
}

/** The frame of the clip that a photo shows, of so many; undefined where it does not say. */
export function momentOf({ inspection }: Examined, frames: number): number | undefined {
  const { presentation_timestamp_us: timeUs = null } = inspection ?? {}
  return timeUs === null ? undefined : Math.min(Math.round((timeUs / 1e6) * FPS), Math.max(0, frames - 1))
}

/** Families whose photos have marks of their own, which no photo for all others has. */
const APART: ReadonlySet<string> = new Set(['huawei', 'apple'])

/** What is found, by the name of its sentence, and the galleries in which the photo moves as it is. */
export function findingsOf({ inspection }: Examined) {
  const meant = inspection?.galleries.filter(({ gallery }) => !APART.has(gallery)) ?? []
  const moving = meant.filter(({ recognised, plays }) => recognised === 'yes' && plays)
  const isMendable = meant.some(
    (one) => !moving.includes(one) && one.problems.some(({ repair }) => repair !== null),
  )
  return {
    state: stateOf(inspection, moving.length > 0, isMendable),
    moving: moving.map(({ gallery }) => gallery),
  }
}

export type Finding = 'isStill' | 'isCutOff' | 'isPartly' | 'isMendable' | 'isWhole' | 'isUnplayable'

function stateOf(inspection: Examined['inspection'], isMoving: boolean, isMendable: boolean): Finding {
  if (!inspection) return 'isStill'
  if (!inspection.clip) return 'isCutOff'
  if (isMendable) return isMoving ? 'isPartly' : 'isMendable'
  return isMoving || inspection.galleries.some(({ plays }) => plays) ? 'isWhole' : 'isUnplayable'
}
