import { MOTION_PHOTO_PROFILES } from '@lantern-room/formats/browser'
import { inWorker } from './inWorker'
import { type LocalVideo, takeStills, withoutPlayer } from './localVideo'
import { type Choice, type Photo, shownPhoto } from './makePhoto'
import type { PhotoOptions } from './options'

/** @returns the choice for which a photo cannot be made here, by the name of its text; undefined when the browser can do all of it */
export function needsService(choice: PhotoOptions, { sound }: Pick<LocalVideo, 'sound'>) {
  const { speed, keepsSound, profile, crop, rotate, repeat, hdr, cover, metadata } = choice
  if (needsWhole(choice, { sound })) return metadata === 'all' ? 'metadata' : 'sound'
  if (speed !== 1 && sound && keepsSound) return 'speed'
  if (!MOTION_PHOTO_PROFILES.some((one) => one === profile)) return 'phones'
  if (crop) return 'crop'
  if (rotate !== '0') return 'rotate'
  if (repeat > 1) return 'repeat'
  if (hdr) return 'hdr'
  if (!choice.isOriginal) return 'smaller'
  return cover === 'time' ? undefined : 'still'
}

/** Whether the service needs all of the file: not the range alone, which is copied and says nothing of its making. */
export function needsWhole(
  { keepsSound, metadata }: PhotoOptions,
  { sound }: Pick<LocalVideo, 'sound'>,
): boolean {
  return metadata === 'all' || (keepsSound && sound === 'other')
}

/**
 * Makes a motion photo without the service: the clip is copied out of the file, the still is what the browser shows.
 * @returns undefined where the pictures or the sound of the range cannot be copied
 */
export async function makeLocalPhoto(local: LocalVideo, choice: Choice): Promise<Photo | undefined> {
  const { file, clocks } = local
  const whole = await withoutPlayer(local, async () => {
    const made = await inWorker('make', file, clocks, choice)
    return typeof made === 'number'
      ? inWorker('make', file, clocks, choice, await takeStills(local, made))
      : made
  })
  return typeof whole === 'object'
    ? shownPhoto({ ...whole, isSource: true, profile: choice.profile })
    : undefined
}
