import { z } from 'zod'
import { parseJson } from '#core/bytes'
import { inspectFile } from '#core/formats/livePhoto/inspectLivePhoto'
import { GALLERIES } from '#core/formats/profiles/profile'
import { readNow } from '#core/formats/source/reading'
import type { MadeVariant } from './makeVariant'
import { BASELINE, VARIANT_IDS, VARIANTS, type VariantId } from './variants'

/** The index of a trial's folder. */
export const TRIAL_FILE = 'trial.json'

/** A plain name in the folder, on every system. */
const fileName = z.string().regex(/^\w[\w.-]{0,99}$/)
const sha256 = z.string().regex(/^[0-9a-f]{64}$/)

const variantRecord = z.object({
  id: z.enum(VARIANT_IDS),
  file: fileName,
  content_type: z.enum(['image/jpeg', 'application/zip']),
  bytes: z.int(),
  sha256,
  differs: z.string(),
  /** Whether still and clip have the pictures of the baseline, bit for bit. */
  same_still: z.boolean(),
  same_frames: z.boolean(),
  /** What `inspect` predicts. */
  galleries: z.array(
    z.object({
      gallery: z.enum(GALLERIES),
      recognised: z.enum(['yes', 'unsure', 'no']),
      plays: z.boolean(),
      timestamp: z.enum(['right', 'missing', 'wrong']),
    }),
  ),
})

const trialRecord = z.object({
  version: z.literal(1),
  software: z.string(),
  source: z.object({ name: z.string(), bytes: z.int(), sha256 }),
  settings: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
  baseline: z.enum(VARIANT_IDS),
  variants: z.array(variantRecord),
  left_out: z.array(z.object({ id: z.enum(VARIANT_IDS), reason: z.string() })),
})

export type VariantRecord = z.infer<typeof variantRecord>

/** What a trial's folder holds: of which video, and each file with its hash and the verdict that is predicted. */
export type TrialRecord = z.infer<typeof trialRecord>

/** @returns undefined when it is not the index of a trial */
export function readTrialRecord(json: Uint8Array): TrialRecord | undefined {
  return trialRecord.safeParse(parseJson(json)).data
}

export function trialRecordJson(
  about: Pick<TrialRecord, 'software' | 'source' | 'settings' | 'variants' | 'left_out'>,
): string {
  const record: TrialRecord = {
    version: 1,
    software: about.software,
    source: about.source,
    settings: about.settings,
    baseline: BASELINE,
    variants: about.variants,
    left_out: about.left_out,
  }
  return `${JSON.stringify(record, undefined, 2)}\n`
}

/** @param hash SHA-256 of the bytes, in hexadecimal digits */
export function recordOf(
  id: VariantId,
  { file, contentType, bytes }: MadeVariant,
  hash: string,
): VariantRecord {
  const { galleries } = readNow(inspectFile({ size: bytes.length }), bytes)
  const { differs, hasSameFrames } = VARIANTS[id]
  return {
    id,
    file,
    content_type: contentType,
    bytes: bytes.length,
    sha256: hash,
    differs,
    same_still: true,
    same_frames: hasSameFrames,
    galleries: galleries.map(({ gallery, recognised, plays, timestamp }) => ({
      gallery,
      recognised,
      plays,
      timestamp,
    })),
  }
}
