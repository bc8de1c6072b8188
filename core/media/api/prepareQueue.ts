import { z } from 'zod'
import { parseJson } from '#core/bytes'
import type { ErrorCode } from '#core/errors'
import type { FormFields } from '#core/formFields'
import { failureOf } from '#core/http/errorResponse'
import type { MediaParts } from '../parts'
import type { SendMessage } from '../ports'
import { checkWindow } from '../prepare/window'
import { MAX_CLAIMS } from '../uploads/claims'
import { isCancel } from '../uploads/uploadErrors'
import { type CreateSession, readWish } from './prepare'

/** Uploads that wait in a queue between hosts, for those that cannot go on after an answer. */

const queued = z.object({ version: z.literal(1), fields: z.record(z.string(), z.string()) })

/** A file at which every worker ends is refused before its message is given up. */
export const MAX_DELIVERIES = MAX_CLAIMS + 2

/** Failures after which the same message is worth another try. After `timeout` the next one would take as long. */
const REPEATED: readonly ErrorCode[] = ['conflict', 'unavailable', 'internal', 'too-busy']

/** @throws ServiceError what can be refused at once; `unavailable` */
export async function enqueuePrepare(
  parts: Pick<MediaParts, 'uploads' | 'callbacks' | 'limits'> & { readonly send: SendMessage },
  fields: FormFields,
): Promise<void> {
  const { window, callbackUrl } = readWish(fields)
  const id = fields.get('upload_id') ?? ''
  checkWindow(window, parts.limits.maxInputSeconds)
  parts.callbacks.check(callbackUrl, id)
  await parts.uploads.mustBeReady(id)
  await parts.send(JSON.stringify({ version: 1, fields: Object.fromEntries(fields) }))
}

/**
 * Prepares what a message names. Messages may come twice, late or from strangers: an upload is used once, and whoever comes late finds
 * it used up.
 * @param count how many times the message has been given
 * @returns how it ended, for the log
 * @throws when the message has to be given again, and in the end to be kept for a person
 */
export async function takeMessage(
  { callbacks, createSession }: Pick<MediaParts, 'callbacks'> & { readonly createSession: CreateSession },
  text: string,
  count: number,
  signal: AbortSignal,
): Promise<string> {
  const { callback_url: url, ...fields } = queued.safeParse(parseJson(text)).data?.fields ?? {}
  const id = fields.upload_id
  if (id === undefined) throw new Error('The message is none of this version.')
  callbacks.check(url, id)
  const headers = { 'Content-Type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify(fields) }
  const asked = { request: new Request('https://queue/prepare', init), texts: [], readWish }
  const failure: unknown = await createSession(asked, { client: { id: 'queue' }, signal }).then(
    () => undefined,
    (error) => error,
  )
  const code = failure === undefined ? 'done' : failureOf(failure).error.code
  const isRepeated = code !== 'done' && REPEATED.includes(code) && !isCancel(failure)
  if (url !== undefined && (!isRepeated || count >= MAX_DELIVERIES)) await callbacks.tell(url, id, signal)
  if (isRepeated) throw failure
  return code
}
