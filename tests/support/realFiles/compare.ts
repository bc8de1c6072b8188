import type { Inspection } from '@lantern-room/formats'
import { FormatError, readNow } from '@lantern-room/formats'
import { inspectFile } from '@lantern-room/formats/files'
import type { BroughtFile } from './bringRealFiles'
import { readExiftoolFacts } from './exiftoolFacts'
import { ente, exiftool, immich, photoPrism } from './galleries'
import { libmotionphoto } from './libmotionphoto'
import { media3 } from './media3'
import { type Judge, NO_MOTION_PHOTO, type Opinion } from './opinion'

const JUDGES = {
  exiftool,
  media3,
  libmotionphoto,
  PhotoPrism: photoPrism,
  Immich: immich,
  Ente: ente,
} as const satisfies Readonly<Record<string, Judge>>

export type JudgeName = keyof typeof JUDGES

export type Comparison = {
  readonly file: BroughtFile
  readonly ours: Opinion
  /** `google samsung`, as `inspect` says. */
  readonly recognisedBy: readonly string[]
  readonly theirs: Readonly<Record<JudgeName, Opinion>>
}

export const JUDGE_NAMES = Object.keys(JUDGES) as JudgeName[]

export async function compareFile(file: BroughtFile): Promise<Comparison> {
  const facts = await readExiftoolFacts(file.local)
  const inspection = inspectOrRefuse(file.bytes)
  const theirs = Object.fromEntries(JUDGE_NAMES.map((name) => [name, JUDGES[name](file.bytes, facts)]))
  return {
    file,
    ours: inspection ? opinionOf(inspection) : NO_MOTION_PHOTO,
    recognisedBy: (inspection?.galleries ?? [])
      .filter(({ recognised }) => recognised !== 'no')
      .map(({ gallery }) => gallery),
    theirs: theirs as Record<JudgeName, Opinion>,
  }
}

/** The judges that see a file otherwise than `inspect`, with what they see. */
export function differencesOf({ ours, theirs }: Comparison): readonly { judge: JudgeName; sees: string }[] {
  return JUDGE_NAMES.flatMap((judge) => {
    const sees = differenceBetween(ours, theirs[judge])
    return sees === undefined ? [] : [{ judge, sees }]
  })
}

function differenceBetween(ours: Opinion, theirs: Opinion): string | undefined {
  if (!theirs.isMotionPhoto) return ours.isMotionPhoto ? 'no clip' : undefined
  if (!ours.isMotionPhoto) return `clip at ${theirs.clipStart ?? '?'}`
  if (theirs.clipStart !== undefined && theirs.clipStart !== ours.clipStart)
    return `clip at ${theirs.clipStart}`
  if (theirs.stillUs !== undefined && theirs.stillUs !== ours.stillUs) return `still at ${theirs.stillUs} µs`
  return undefined
}

/** @returns undefined when the file is refused: it is no motion photo */
function inspectOrRefuse(bytes: Uint8Array): Inspection | undefined {
  try {
    return readNow(inspectFile({ size: bytes.length }), bytes)
  } catch (error) {
    if (error instanceof FormatError) return undefined
    throw error
  }
}

function opinionOf({ photo }: Inspection): Opinion {
  const time = photo.xmp?.presentationTimestampUs ?? photo.xmp?.microVideoPresentationTimestampUs
  return {
    isMotionPhoto: photo.clip !== undefined,
    clipStart: photo.clip?.offset,
    stillUs: time === -1 ? undefined : time,
  }
}
