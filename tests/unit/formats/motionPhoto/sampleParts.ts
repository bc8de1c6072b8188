import { normalizeClip } from '@lantern-room/mp4/clip'
import type { MotionPhotoParts } from '#internal/formats/newPhoto/assemble'
import { buildMp4, fastStart } from '../../mp4/movie/sampleMp4'
import { baselineJpeg, progressiveJpeg } from './sampleJpeg'

/** What a photo is made of, whatever its profile. */
export const sampleParts = {
  cover: progressiveJpeg,
  thumbnail: baselineJpeg,
  clip: normalizeClip(buildMp4(fastStart)),
  presentationTimestampUs: 100_000,
  takenAt: { year: 2026, month: 3, day: 4, hour: 5, minute: 6, second: 7, offsetMinutes: 60 },
  software: 'Lantern Room 1.2.3',
} satisfies Omit<MotionPhotoParts, 'profile'>
