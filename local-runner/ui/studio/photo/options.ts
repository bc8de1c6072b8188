import type { OutputProfile } from '@lantern-room/media/browser'
import { signal } from '@preact/signals'
import { type Region, textOfRegion } from './crop'

/** Of what stays of a picture; empty: all of it. */
export const SHAPES = ['', 'own', '1:1', '3:4', '4:3', '9:16', '16:9'] as const
export const ROTATIONS = ['0', '90', '180', '270'] as const
export const METADATA = ['date', 'none', 'all'] as const
/** The service's own limit. */
export const MAX_REPEAT = 100

export const PLAIN = {
  speed: 1,
  keepsSound: true,
  /** Whether the pictures of the clip are the source's own. */
  isOriginal: true,
  profile: 'universal' as OutputProfile,
  /** The still: a picture of the video, the source's own one, or a file. */
  cover: 'time' as 'time' | 'source' | 'file',
  coverFile: undefined as File | undefined,
  shape: '' as (typeof SHAPES)[number],
  /** Undefined: all of the picture. */
  crop: undefined as Region | undefined,
  rotate: '0' as (typeof ROTATIONS)[number],
  repeat: 1,
  hdr: false,
  metadata: 'date' as (typeof METADATA)[number],
}

/** Choices of a photo beside its range; most of them as the fields of POST /convert name them. */
export type PhotoOptions = Readonly<typeof PLAIN>

export const options = signal<PhotoOptions>(PLAIN)
/** Whether a picture of one's own was to be the cover, and none was chosen. */
export const isCoverMissing = signal(false)

export function choose(change: Partial<PhotoOptions>): void {
  options.value = { ...options.value, ...change }
  isCoverMissing.value = false
}

/** Whether the photo can have a gain map: of a picture of the video only, and not in a Live Photo. */
export function mayBeHdr({ cover, profile }: PhotoOptions): boolean {
  return cover === 'time' && profile !== 'apple'
}

/** The fields of POST /convert that differ from what the service does by default. */
export function fieldsOf(
  chosen: PhotoOptions,
  hasSound: boolean,
  capturedAt?: string,
): readonly (readonly [string, string | File])[] {
  const { cover, coverFile, crop, rotate, repeat, metadata, profile } = chosen
  const fields: (readonly [string, string | File] | undefined)[] = [
    ['profile', profile],
    cover === 'source' ? ['cover', 'source'] : undefined,
    cover === 'file' && coverFile ? ['cover_file', coverFile] : undefined,
    crop && ['crop', textOfRegion(crop)],
    rotate === '0' ? undefined : ['rotate', rotate],
    repeat > 1 && !hasSound ? ['repeat', String(repeat)] : undefined,
    chosen.hdr && mayBeHdr(chosen) ? ['hdr', 'true'] : undefined,
    metadata === 'date' ? undefined : ['metadata', metadata],
    capturedAt === undefined ? undefined : ['captured_at', capturedAt],
  ]
  return fields.filter((field) => field !== undefined)
}
