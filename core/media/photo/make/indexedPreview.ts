import { cutSource, isCopyable, originOf } from '@lantern-room/mp4/clip'
import { FPS } from '#media/frames'
import type { Video } from '#media/preview/videoOf'
import { type Preview, UNREAD } from '#media/traits'
import { isCopyWanted } from '../clip/findSource'
import type { ClipSettings } from './convertClip'
import { endOf, type PhotoRange } from './photoRange'

type Wanted = PhotoRange & Pick<ClipSettings, 'quality' | 'edit' | 'mute'>

/** Whether, by the index of the video, its own pictures can be copied: then a preview would show them in vain. */
export function isCopied(request: Wanted, { movie, kind }: Video, sourceBytes: number): boolean {
  const { quality, edit, repeat, start, speed } = request
  if (quality === 'preview' || !isCopyWanted(edit, repeat) || kind !== 'video' || !movie) return false
  const until = Math.min(endOf(request), movie.durationSeconds)
  const { cut } = cutSource(movie, { stream: 0, start, end: until, speed }, sourceBytes)
  return cut !== undefined && (cut.isAvc || quality === 'source')
}

/**
 * What a preview would say of a video whose pictures and sound are copied, if its index does: then its samples stand for those
 * of the preview, and no program needs to read it.
 */
export function indexedPreview(
  { mute, speed, start }: Wanted,
  { movie, path, capture: captureOfIndex }: Video,
  endFrame: number,
  sourceBytes: number,
): Preview | undefined {
  const [video, ...others] = movie?.tracks.filter(({ kind }) => kind === 'video') ?? []
  const sounds = mute ? [] : (movie?.tracks.filter(({ kind }) => kind === 'audio') ?? [])
  const isSoundCopied =
    sounds.length === 0 ||
    (speed === 1 && sounds.length === 1 && sounds.every((sound) => isCopyable(sound, sourceBytes)))
  if (!movie || !video || others.length > 0 || !isSoundCopied || originOf(movie) !== 0) return undefined
  const capture = captureOfIndex?.()
  const { width, height, durationSeconds: sourceSeconds } = video
  if (!capture || start >= sourceSeconds) return undefined
  const size = { width, height }
  return {
    ...size,
    path,
    capture,
    sourceSeconds,
    frames: Math.max(1, Math.round(Math.min(sourceSeconds * FPS, endFrame))),
    hasAudio: sounds.length > 0,
    original: { ...UNREAD, kind: 'video', size, streamId: video.id },
  }
}
