import { normalizeClip } from '#core/formats/mp4/normalizeClip'
import { withoutSound, withSilence } from '#core/media/trial/clipVariants'
import { makeVariant, type TrialMaterial } from '#core/media/trial/makeVariant'
import { readTrialRecord, recordOf, type TrialRecord, trialRecordJson } from '#core/media/trial/trialRecord'
import { VARIANT_IDS } from '#core/media/trial/variants'
import { sampleParts } from '../../formats/motionPhoto/sampleParts'
import { buildMp4, fastStart, videoTrack } from '../../formats/mp4/sampleMp4'

/** A clip with sound, and one with other pictures. */
export const { clip } = sampleParts
export const otherClip = normalizeClip(
  buildMp4({ ...fastStart, tracks: [{ ...videoTrack, chunks: [[50, 20], [21, 22, 23], [51], [24]] }] }),
)

/** Everything that a trial can have. */
export const material: TrialMaterial = {
  parts: { ...sampleParts, presentationTimestampUs: 133_333 },
  namedAt: sampleParts.takenAt,
  clips: {
    hevc: { clip: otherClip, presentationTimestampUs: 133_333 },
    'no-sound': { clip: withoutSound(clip), presentationTimestampUs: 133_333 },
    silence: { clip: withSilence(clip), presentationTimestampUs: 133_333 },
    longer: { clip: otherClip, presentationTimestampUs: 133_333 },
  },
}

/** A trial in memory. The hashes are numbers in digits. */
export function sampleTrial(hash: (bytes: Uint8Array) => string = () => '0'.repeat(64)): {
  readonly trial: TrialRecord
  readonly files: ReadonlyMap<string, Uint8Array>
} {
  const files = new Map<string, Uint8Array>()
  const variants = VARIANT_IDS.filter((id) => id !== 'silence').flatMap((id) => {
    const made = makeVariant(id, material)
    if (!made) return []
    files.set(made.file, made.bytes)
    return [recordOf(id, made, hash(made.bytes))]
  })
  const json = trialRecordJson({
    software: 'Lantern Room 1.2.3',
    source: { name: 'video.mp4', bytes: 1, sha256: 'a'.repeat(64) },
    settings: { start: 0 },
    variants,
    left_out: [{ id: 'silence', reason: 'The video has sound of its own.' }],
  })
  const trial = readTrialRecord(new TextEncoder().encode(json))
  if (!trial) throw new Error('The record that was written cannot be read.')
  return { trial, files }
}
