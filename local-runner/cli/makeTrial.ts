import { basename } from 'node:path'
import { ServiceError } from '#core/errors'
import { unixTimeOf } from '#core/formats/exif/wallClock'
import { photoOfFile } from '#core/media/oneShot/photoOfFile'
import type { WorkFolder } from '#core/media/ports'
import { createSniffer } from '#core/media/prepare/source'
import { gatherMaterial, type MaterialSteps, reasonForNone } from '#core/media/trial/gatherMaterial'
import { makeVariant, type TrialMaterial } from '#core/media/trial/makeVariant'
import {
  recordOf,
  TRIAL_FILE,
  type TrialRecord,
  trialRecordJson,
  type VariantRecord,
} from '#core/media/trial/trialRecord'
import { VARIANT_IDS } from '#core/media/trial/variants'
import { openTrialFolder, type TrialFolder } from '../trial/trialFolder'
import { about, onThisMachine } from './failure'
import { hashOf, hashOfFile, sha256 } from './hashOf'
import { localZone } from './makeMotionPhoto'
import type { MotionPhotoDependencies, Tools } from './motionPhotoDependencies'
import { checkRange, inWordsOfOptions } from './range'
import type { TrialOrder } from './trialCommand'

export type MadeTrial = {
  readonly trial: TrialRecord
  /** Files that were written, and files that were there already. */
  readonly written: number
  readonly kept: number
}

/**
 * Makes the photos of a trial in its folder. What is there already is left as it is: the second run of the same command needs
 * no ffmpeg.
 * @throws ConfigError, UsageError, ServiceError as `photoOfFile`; `invalid-request` when the folder holds another trial; the
 *   signal's reason
 */
export async function makeTrial(
  order: TrialOrder,
  dependencies: MotionPhotoDependencies,
  signal: AbortSignal,
): Promise<MadeTrial> {
  const { files } = dependencies
  const { input } = order
  const limits = dependencies.limits()
  checkRange({ start: order.start, end: undefined, cover: order.cover, speed: 1 }, limits)
  const { checkHead, kind } = createSniffer()
  await about(input, () => files.readInputHead(input, checkHead))
  const source = await about(input, async () => hashOf(await files.openPhoto(input), signal))
  const folder = openTrialFolder(order.folder, files, signal)
  const fileTime = await about(input, () => files.modificationTime(input))
  const wanted = {
    software: `Lantern Room ${dependencies.version}`,
    source: { name: basename(input), ...source },
    settings: settingsOf(order, fileTime),
  }

  const old = await about(order.folder, () => folder.readTrial())
  if (old && old.source.sha256 !== source.sha256) {
    throw new ServiceError(
      'invalid-request',
      `${order.folder} holds the trial of another file, ${old.source.name}. Name another folder with --out.`,
    )
  }
  if (old && isMadeAs(old, wanted) && (await isWhole(folder, old))) {
    return { trial: old, written: 0, kept: old.variants.length }
  }
  const tools = await dependencies.openTools()
  const steps = stepsOf(order, dependencies, tools, { kind: kind(), fileTime, signal })
  const material = await gatherMaterial(steps, { ...order, maxClipSeconds: limits.maxClipSeconds })
  await about(order.folder, () => files.makeFolder(order.folder))
  const { takenAt } = material.parts
  const made = await about(order.folder, () =>
    writeVariants(folder, material, takenAt && unixTimeOf(takenAt), signal),
  )
  const json = trialRecordJson({ ...wanted, variants: made.variants, left_out: made.leftOut })
  await about(order.folder, () => folder.write(TRIAL_FILE, new TextEncoder().encode(json)))
  const trial = await folder.readTrial()
  if (!trial) throw new ServiceError('internal', 'The trial could not be read back. Try again.')
  return { trial, written: made.written, kept: made.variants.length - made.written }
}

type Wanted = Pick<TrialRecord, 'software' | 'source' | 'settings'>

/** All that decides about the bytes of the photos, beside the video. */
function settingsOf({ start, cover, origin }: TrialOrder, fileTime: number): Wanted['settings'] {
  const { metadata, capturedAt, timeZone } = origin
  return {
    start,
    cover: cover ?? null,
    metadata,
    captured_at: capturedAt ? `${capturedAt.unixMs} ${capturedAt.offsetMinutes ?? ''}` : null,
    time_zone: timeZone ?? null,
    file_time: fileTime,
    local_offset: localZone(fileTime),
  }
}

function isMadeAs(old: TrialRecord, { software, settings }: Wanted): boolean {
  const inOrder = (record: Wanted['settings']) => JSON.stringify(Object.entries(record).sort())
  return old.software === software && inOrder(old.settings) === inOrder(settings)
}

async function isWhole(folder: TrialFolder, { variants }: TrialRecord): Promise<boolean> {
  for (const { file, sha256 } of variants) if ((await hashOfFile(folder, file)) !== sha256) return false
  return true
}

async function writeVariants(
  folder: TrialFolder,
  material: TrialMaterial,
  modifiedMs: number | undefined,
  signal: AbortSignal,
): Promise<{ variants: VariantRecord[]; leftOut: TrialRecord['left_out']; written: number }> {
  const variants: VariantRecord[] = []
  const leftOut: TrialRecord['left_out'] = []
  let written = 0
  for (const id of VARIANT_IDS) {
    signal.throwIfAborted()
    const made = makeVariant(id, material)
    if (!made) {
      leftOut.push({ id, reason: reasonForNone(id) })
      continue
    }
    const record = recordOf(id, made, sha256(made.bytes))
    variants.push(record)
    if ((await hashOfFile(folder, made.file)) === record.sha256) continue
    await folder.write(made.file, made.bytes, modifiedMs)
    written += 1
  }
  return { variants, leftOut, written }
}

type Circumstances = {
  readonly kind: ReturnType<ReturnType<typeof createSniffer>['kind']>
  readonly fileTime: number
  readonly signal: AbortSignal
}

/** The two steps that run ffmpeg, each in a work folder of its own. */
function stepsOf(
  order: TrialOrder,
  { limits }: MotionPhotoDependencies,
  tools: Tools,
  { kind, fileTime, signal }: Circumstances,
): MaterialSteps {
  return {
    encodeHevc: (clip) => inFolder((folder) => tools.encodeHevc(clip, { folder, signal })),
    makePhoto(end, cover) {
      const request = {
        start: order.start,
        end,
        cover,
        coverFrom: 'auto',
        speed: 1,
        profile: 'universal',
        mute: false,
        quality: 'auto',
        origin: order.origin,
      } as const
      // The file's time instead of now, so that a second run makes the same bytes.
      const circumstances = { now: fileTime, fileTime, localZone }
      const source = { path: order.input, kind }
      const make = (folder: WorkFolder) =>
        photoOfFile(tools, source, request, limits(), { folder, signal, circumstances })
      return inWordsOfOptions(() => about(order.input, () => inFolder(make)))
    },
  }

  async function inFolder<T>(work: (folder: WorkFolder) => Promise<T>): Promise<T> {
    const folder = await onThisMachine(() => tools.workFolders.open())
    try {
      return await onThisMachine(() => work(folder))
    } finally {
      await folder.dispose()
    }
  }
}
