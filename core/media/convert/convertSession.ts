import type { SingleFlight } from '#core/async/singleFlight'
import type { Clock } from '#core/clock'
import { chooseOrigin, type OriginWish } from '../capture/chooseOrigin'
import type { Caller } from '../client'
import type { MediaLimits } from '../config'
import type { Covers } from '../cover/covers'
import type { JobQueue } from '../jobs/jobQueue'
import { createLazyFile } from '../lazyFile'
import type { WallClock } from '../motionPhoto/wallClock'
import type { Metrics, WorkFolders } from '../ports'
import type { Session } from '../session'
import type { Sessions } from '../sessions'
import { type ClipPlan, type ClipRequest, planClip } from './clip'
import { type ConvertDependencies, type ConvertedClip, convertClip } from './convertClip'
import { sizeOfFiles } from './outputFiles'
import type { OutputProfile } from './outputProfile'

export type ConvertRequest = ClipRequest & {
  readonly sessionId: string
  readonly profile: OutputProfile
  readonly mute: boolean
  readonly quality: 'preview' | 'source'
  readonly origin: OriginWish
}

export type MotionPhoto = ConvertedClip & {
  /** For its file name. */
  readonly namedAt: WallClock
}

export type ConvertSessionDependencies = ConvertDependencies & {
  readonly sessions: Pick<
    Sessions,
    'find' | 'previewSource' | 'originalSource' | 'checkOutPreview' | 'checkOutOriginal'
  >
  readonly covers: Covers
  readonly workFolders: WorkFolders
  readonly jobs: JobQueue
  /** Requests for the same photo share one conversion. */
  readonly conversions: SingleFlight<MotionPhoto>
  readonly clock: Pick<Clock, 'unixTime'>
  readonly metrics: Pick<Metrics, 'converted'>
  readonly limits: Pick<MediaLimits, 'maxClipSeconds'>
  /** Aborts when the host stops. */
  readonly stopping: AbortSignal
}

type Conversion = {
  readonly session: Session
  readonly plan: ClipPlan
  readonly request: ConvertRequest
  /** Unix time in milliseconds. */
  readonly startedAt: number
}

/**
 * Makes a motion photo of a range of a session's preview, with a cover from its original.
 * @throws ServiceError `not-found`, `invalid-request`, `too-busy`, `timeout`, `internal`, `unavailable`
 */
export async function convertSession(
  dependencies: ConvertSessionDependencies,
  request: ConvertRequest,
  caller: Caller,
): Promise<MotionPhoto> {
  const { sessions, jobs, conversions, limits, clock, stopping } = dependencies
  const session = await sessions.find(request.sessionId)
  const plan = planClip(request, session.frames, limits.maxClipSeconds)
  const conversion = { session, plan, request, startedAt: clock.unixTime() }
  const { client } = caller
  const ending = AbortSignal.any([caller.signal, stopping])
  return conversions.run(JSON.stringify(request), ending, (signal) =>
    jobs.run({ kind: 'convert', client, signal }, () => makePhoto(dependencies, conversion, signal)),
  )
}

async function makePhoto(
  dependencies: ConvertSessionDependencies,
  { session, plan, request, startedAt }: Conversion,
  signal: AbortSignal,
): Promise<MotionPhoto> {
  const { sessions, covers, workFolders, metrics, clock } = dependencies
  const origin = chooseOrigin(request.origin, session.capture, { now: startedAt })
  const folder = await workFolders.open()
  try {
    const preview = createLazyFile(() => sessions.checkOutPreview(session))
    const original = createLazyFile(() => sessions.checkOutOriginal(session))
    try {
      const [previewBytes, originalBytes] = await Promise.all([
        sessions.previewSource(session),
        sessions.originalSource(session),
      ])
      const converted = await convertClip(
        dependencies,
        {
          preview: { bytes: previewBytes, path: preview.path, hasAudio: session.hasAudio },
          original: { bytes: originalBytes, path: original.path, traits: session.original },
          cover: (frame, both) => covers.get(session, frame, both),
        },
        {
          plan,
          profile: request.profile,
          mute: request.mute,
          quality: request.quality,
          origin,
        },
        { folder, signal },
      )
      const tookMs = clock.unixTime() - startedAt
      metrics.converted({ sessionId: session.id, photoBytes: sizeOfFiles(converted.files), tookMs })
      return { ...converted, namedAt: origin.namedAt }
    } finally {
      await original.release().finally(() => preview.release())
    }
  } finally {
    await folder.dispose()
  }
}
