import { randomUUID } from 'node:crypto'
import type { SingleFlight } from '#core/async/singleFlight'
import { ServiceError } from '#core/errors'
import { chooseOrigin, type PhotoOrigin } from '../capture/chooseOrigin'
import type { Caller } from '../client'
import type { Covers } from '../cover/covers'
import type { OwnPicture } from '../cover/ownCover'
import { FPS } from '../frames'
import type { MediaParts } from '../parts'
import { inFolder } from '../ports'
import type { Session } from '../sessions/session'
import { withFiles } from '../sessions/sessionFiles'
import { type ClipPlan, type ClipRequest, checkRepeat, planClip } from './clip'
import { type ConvertDependencies, type ConvertedClip, convertClip, type PhotoWish } from './convertClip'
import { sizeOfFiles } from './outputFiles'

export type ConvertRequest = PhotoWish &
  Omit<ClipRequest, 'cover'> & {
    readonly sessionId: string
    /** Seconds of the preview. Undefined, with the source's own picture: the moment that it shows. */
    readonly cover: number | undefined
  }

export type ConvertedPhoto = ConvertedClip & { readonly origin: PhotoOrigin }

export type ConvertSessionDependencies = ConvertDependencies &
  Pick<MediaParts, 'sessions' | 'workFolders' | 'jobs' | 'metrics' | 'stopping'> & {
    readonly covers: Covers
    /** Requests for the same photo share one conversion. */
    readonly conversions: SingleFlight<ConvertedPhoto>
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
): Promise<ConvertedPhoto> {
  const { sessions, jobs, conversions, limits, clock, stopping } = dependencies
  const session = await sessions.find(request.sessionId)
  checkCover(request, session)
  checkRepeat(request, session.hasAudio)
  const plan = planClip(
    { ...request, cover: coverTimeOf(request, session) },
    session.frames,
    limits.maxClipSeconds,
  )
  const conversion = { session, plan, request, startedAt: clock.unixTime() }
  const { client } = caller
  const ending = AbortSignal.any([caller.signal, stopping])
  // Equal requests share a conversion. Those with files of their own are not compared.
  const key = request.coverFile ? randomUUID() : JSON.stringify(request)
  return conversions.run(key, ending, (signal) =>
    jobs.run({ kind: 'convert', client, signal }, () => makePhoto(dependencies, conversion, signal)),
  )
}

/** @throws ServiceError `unprocessable` */
function checkCover({ coverFrom }: ConvertRequest, { still }: Session): void {
  if (coverFrom !== 'source' || still) return
  throw new ServiceError(
    'unprocessable',
    'cover=source needs a session that was made of a motion photo or Live Photo with its picture. Leave cover out, and send cover_time.',
  )
}

/** The moment of the source's own picture by default, else the middle of the range. */
function coverTimeOf(request: ConvertRequest, { still, frames, original }: Session): number {
  if (request.cover !== undefined) return request.cover
  const moment = still?.seconds === undefined ? undefined : still.seconds - original.firstFrame / FPS
  const time = moment ?? (request.start + request.end) / 2
  return Math.max(0, Math.min(time, frames / FPS))
}

async function pictureOf(
  { sessions }: Pick<ConvertSessionDependencies, 'sessions'>,
  { coverFrom, coverFile }: ConvertRequest,
  session: Session,
): Promise<OwnPicture | undefined> {
  if (coverFile) return { bytes: coverFile, name: 'cover_file' }
  if (coverFrom !== 'source') return undefined
  return { bytes: await sessions.read(session, 'still'), name: "The photo's own picture", isOfPhoto: true }
}

async function makePhoto(
  dependencies: ConvertSessionDependencies,
  { session, plan, request, startedAt }: Conversion,
  signal: AbortSignal,
): Promise<ConvertedPhoto> {
  const { sessions, covers, workFolders, metrics, clock } = dependencies
  const { firstFrame } = session.original
  const isOwn = request.coverFrom === 'source'
  const moment = { plan, firstFrame, isOwn, stillSeconds: session.still?.seconds }
  const origin = chooseOrigin(request.origin, session.capture, { now: startedAt, cover: moment })
  const picture = await pictureOf(dependencies, request, session)
  const converted = await inFolder(workFolders, (folder) =>
    withFiles(sessions, session, ({ preview, original }) =>
      convertClip(
        dependencies,
        {
          preview: { ...preview, hasAudio: session.hasAudio },
          original: { ...original, traits: session.original },
          cover: (frame, both) => covers(session, frame, both, request.edit),
        },
        { ...request, plan, origin, picture },
        { folder, signal },
      ),
    ),
  )
  const tookMs = clock.unixTime() - startedAt
  metrics.converted({ sessionId: session.id, photoBytes: sizeOfFiles(converted.files), tookMs })
  return { ...converted, origin }
}
