import { z } from '@hono/zod-openapi'
import type { Log } from '@lantern-room/base'
import type { Clock } from '@lantern-room/base/async'
import type { FormFields } from '@lantern-room/base/fields'
import { answerWithEvents, wantsEvents } from '@lantern-room/base/http'
import type { Client } from '@lantern-room/clients'
import type { PrepareWish, SessionCaller } from '../preview/createSession'
import type { FormRequest } from '../preview/receiveSource'
import { createProgressMeter, type OnProgress, shownProgress } from '../progress'
import type { Session } from '../sessions/session'
import { hasSmallFields, readSmallFields } from '../uploads/smallFields'
import {
  ALSO_WITHOUT_A_FILE,
  fileOrUpload,
  formNumber,
  readFields,
  sourceFields,
  TEXTS_ARE_TEXT,
  textsOf,
} from './fields'
import { callerOf, fileRoute, type MediaRoute, noteSession } from './mediaRoute'
import { failures, secured } from './responses'
import { sessionSummary, summarize } from './sessions'

const wishForm = z.object({
  from: formNumber('Start of the part to prepare, in seconds of the video. Default: 0.', '0').optional(),
  to: formNumber(
    'End of that part. Default: the end of the video, or as much as MAX_INPUT_SECONDS allows.',
    '10',
  ).optional(),
  callback_url: z.string().max(2000, 'must have at most 2000 characters').optional().openapi({
    description:
      'With upload_id: receives the outcome by a signed POST, as GET /uploads/{upload_id} tells it (docs/operating.md). Its origin must be one of CALLBACK_ORIGINS.',
    example: 'https://app.example.com/prepared',
  }),
})

/** Documents the form, and does not check it. @see docs/decisions.md, D3 */
const prepareForm = z
  .object({ ...sourceFields, ...wishForm.shape })
  .openapi('PrepareForm', { description: `Either \`file\` or \`upload_id\`. ${TEXTS_ARE_TEXT}` })

export const progressFields = z.object(shownProgress.shape).openapi('PrepareProgress')

export const prepareFailure = z
  .object({ code: z.string(), detail: z.string(), status: z.int() })
  .openapi('PrepareFailure', { description: 'As the ordinary answer would have told it.' })

/**
 * Of its three answers, which the client chooses by headers, the document has the plain one alone: generated clients can tell neither
 * a stream from a record, nor two records apart.
 */
export const prepareContract = secured({
  method: 'post',
  path: '/prepare',
  operationId: 'prepareVideo',
  tags: ['Sessions'],
  summary: 'Upload a video or animated image: makes a session and its preview',
  description:
    'Of a motion photo or Live Photo its video is taken, and the time of the photo. With a `photo` beside the file, POST /convert takes it with `cover=source`, and keeps all that it says of itself with `metadata=all`. ' +
    'With `from` and `to` only that part is prepared; times of all other requests are then seconds of the preview, which begins at `from`. ' +
    'With an upload_id, that upload is used up when this succeeds or the file is refused (400, 413, 415); after any other failure it can be prepared again. ' +
    'With `Accept: text/event-stream` the answer is a stream of events: `progress` (PrepareProgress) any number of times, then `result` with the session, or `error` (PrepareFailure: code, detail and status). What can be refused at once is answered without a stream. ' +
    'With `Prefer: respond-async` and an upload_id in a JSON or URL-encoded body, the answer is 202 (`upload_id` and `state`, and the headers `Location` and `Preference-Applied`) as soon as the upload waits or is prepared, and GET at `Location` tells how far it is and how it ended. Hosts that cannot go on after an answer, such as Lambda without its queue, pass over that. ' +
    ALSO_WITHOUT_A_FILE,
  request: fileOrUpload(prepareForm),
  responses: {
    200: { description: 'The session.', content: { 'application/json': { schema: sessionSummary } } },
    ...failures(400, 401, 404, 409, 413, 415, 422, 429, 500, 503, 504),
  },
})

export type CreateSession = (
  request: FormRequest<PrepareWish>,
  caller: SessionCaller,
  onProgress?: OnProgress,
) => Promise<Session>

/**
 * Prepares an upload that no request waits for.
 * @returns where the upload stands, or the session that it has become before
 * @throws ServiceError for what can be refused at once
 */
export type PrepareLater = (fields: FormFields, client: Client) => Promise<'preparing' | 'received' | Session>

type PrepareHost = {
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly log: Log
  /** Undefined where the host cannot go on after an answer, and there is no queue. */
  readonly later: PrepareLater | undefined
}

export function prepareRoute(createSession: CreateSession, { clock, log, later }: PrepareHost): MediaRoute {
  return fileRoute(prepareContract, async (context) => {
    const request = { request: context.req.raw, texts: textsOf(prepareForm), readForm: readWish }
    const caller = callerOf(context)
    const { publicUrl } = context.var
    if (later && prefersAsync(context.req.raw)) {
      const fields = await readSmallFields(context.req.raw)
      const outcome = await later(fields, caller.client)
      const upload_id = fields.get('upload_id') ?? ''
      const stands = typeof outcome === 'string' ? { state: outcome } : doneAs(outcome)
      return context.json({ upload_id, ...stands }, 202, {
        Location: `${publicUrl}/uploads/${upload_id}`,
        'Preference-Applied': 'respond-async',
        'Cache-Control': 'no-store',
      })
    }
    if (!wantsEvents(context.req.raw)) {
      const session = await createSession(request, caller)
      noteSession(context, session.id)
      return context.json(summarize(session, publicUrl), 200, { 'Cache-Control': 'no-store' })
    }
    return answerWithEvents({ clock, log }, async (send, leaving) => {
      const meter = createProgressMeter(clock.now)
      const signal = AbortSignal.any([caller.signal, leaving])
      const session = await createSession(request, { client: caller.client, signal }, (progress) => {
        const shown = meter(progress)
        if (shown) send('progress', shown)
      })
      return summarize(session, publicUrl)
    })
  })
}

function doneAs({ id: session_id }: Session) {
  return { state: 'done', session_id } as const
}

/**
 * A file in the request itself cannot be asked about later, and events are an answer that lasts.
 * @see RFC 7240, 4.1
 */
function prefersAsync(request: Request): boolean {
  if (!hasSmallFields(request) || wantsEvents(request)) return false
  const preferences = (request.headers.get('Prefer') ?? '').split(',')
  return preferences.some((part) => /^\s*respond-async\s*(;|$)/i.test(part))
}

/** @throws ServiceError `unprocessable` naming the field */
export function readWish(fields: ReadonlyMap<string, string>): PrepareWish {
  const { from = 0, to, callback_url } = readFields(wishForm, fields)
  return { window: { from, to, mustFit: true }, callbackUrl: callback_url }
}
