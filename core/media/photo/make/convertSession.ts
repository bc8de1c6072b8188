import { randomUUID } from 'node:crypto'
import { ServiceError } from '@lantern-room/base'
import { createSingleFlight } from '@lantern-room/base/async'
import type { Caller, Client } from '@lantern-room/clients'
import { createByteCache } from '#media/byteCache'
import { chooseOrigin, type PhotoOrigin } from '#media/capture/chooseOrigin'
import { FPS } from '#media/frames'
import type { MediaParts } from '#media/parts'
import type { PictureEdit } from '#media/pictureEdit'
import { inFolder } from '#media/ports'
import type { Session } from '#media/sessions/session'
import { withFiles } from '#media/sessions/sessionFiles'
import { lossesIn } from '#media/traits'
import type { OwnPicture } from '../cover/ownCover'
import { type Cover, takeCover } from '../cover/takeCover'
import { type ClipPlan, type ClipRequest, checkRepeat, planClip } from './clip'
import { type ConvertDependencies, type ConvertedClip, convertClip, type PhotoWish } from './convertClip'
import { sizeOfFiles } from './outputFiles'

export type ConvertRequest = PhotoWish &
  Omit<ClipRequest, 'cover'> & {
    readonly sessionId: string
    /** Seconds of the preview. Undefined, with the source's own picture: the moment that it shows. */
    readonly cover: number | undefined
  }

export type ConvertedPhoto = ConvertedClip & {
  readonly origin: PhotoOrigin
  /** Whether the clip is silent because the sound of the video cannot be decoded here. @default false */
  readonly isSoundLost?: boolean
}

export type ConvertSessionDependencies = ConvertDependencies &
  Pick<MediaParts, 'sessions' | 'workFolders' | 'jobs' | 'quotas' | 'metrics' | 'stopping'> & {
    readonly shared: ReturnType<typeof createSharedWork>
  }

/** What the conversions of a host have in common. */
export function createSharedWork() {
  const coversBytes = 32 * 1024 * 1024
  return {
    /** Requests for the same photo share one. */
    conversions: createSingleFlight<ConvertedPhoto>(),
    covers: createByteCache<Cover>(coversBytes, ({ cover, thumbnail }) => cover.length + thumbnail.length),
  }
}

type Conversion = {
  readonly session: Session
  readonly plan: ClipPlan
  readonly request: ConvertRequest
  readonly client: Client
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
  const { sessions, jobs, quotas, shared, limits, clock, stopping } = dependencies
  const session = await sessions.find(request.sessionId)
  checkCover(request, session)
  checkRepeat(request, session.hasAudio)
  const plan = planClip(
    { ...request, cover: coverTimeOf(request, session) },
    session.frames,
    limits.maxClipSeconds,
  )
  const { client } = caller
  const conversion = { session, plan, request, client, startedAt: clock.unixTime() }
  const ending = AbortSignal.any([caller.signal, stopping])
  // Equal requests share a conversion. Those with files of their own are not compared.
  const key = request.coverFile ? randomUUID() : JSON.stringify(request)
  return quotas.spend(client, { photos: 1 }, () =>
    shared.conversions.run(key, ending, (signal) =>
      jobs.run({ kind: 'convert', client, signal }, () => makePhoto(dependencies, conversion, signal)),
    ),
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
  { coverFrom, coverFile, origin: { metadata } }: ConvertRequest,
  session: Session,
): Promise<OwnPicture | undefined> {
  const hasTags = metadata === 'all'
  // docs/decisions.md, D181
  if (coverFile) return { bytes: coverFile, name: 'cover_file', hasTags }
  if (coverFrom !== 'source') return undefined
  const bytes = await sessions.read(session, 'still')
  return {
    bytes,
    name: "The photo's own picture",
    isOfPhoto: true,
    hasTags,
    lost: lossesIn(session.still?.lost),
  }
}

async function makePhoto(
  dependencies: ConvertSessionDependencies,
  { session, plan, request, client, startedAt }: Conversion,
  signal: AbortSignal,
): Promise<ConvertedPhoto> {
  const { sessions, workFolders, metrics, clock } = dependencies
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
          cover: (frame, both) => sharedCover(dependencies, session, frame, request.edit, both),
        },
        { ...request, plan, origin, picture },
        { folder, signal },
      ),
    ),
  )
  const tookMs = clock.unixTime() - startedAt
  const photoBytes = sizeOfFiles(converted.files)
  metrics.converted({ sessionId: session.id, client: client.name, photoBytes, tookMs })
  return { ...converted, origin }
}

/** The work ends with the last one that waits for it, so that it has a folder of its own. @param signal ends the wait */
function sharedCover(
  dependencies: ConvertSessionDependencies,
  session: Session,
  frame: number,
  edit: PictureEdit,
  signal: AbortSignal,
): Promise<Cover> {
  const { shared, sessions, workFolders, limits } = dependencies
  const timeoutMs = limits.convertTimeoutSeconds * 1000
  const take = (working: AbortSignal) =>
    inFolder(workFolders, (folder) =>
      withFiles(sessions, session, ({ preview, original }) => {
        const materials = { preview, original: { ...original, traits: session.original } }
        return takeCover(dependencies, materials, frame, { folder, signal: working, timeoutMs, edit })
      }),
    )
  return shared.covers.get(`${session.id}/${frame}/${JSON.stringify([edit.crop, edit.rotate])}`, take, signal)
}
