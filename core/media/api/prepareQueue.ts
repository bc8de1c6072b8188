import type { ErrorCode } from '@lantern-room/base'
import { parseJson } from '@lantern-room/base/bytes'
import type { FormFields } from '@lantern-room/base/fields'
import { failureOf } from '@lantern-room/base/http'
import { type Client, clientNamed } from '@lantern-room/clients'
import { z } from 'zod'
import type { MediaConfig } from '../config'
import type { MediaParts } from '../parts'
import type { SendMessage } from '../ports'
import { checkWindow } from '../preview/window'
import { MAX_CLAIMS } from '../uploads/claims'
import { isCancel } from '../uploads/uploadErrors'
import { type CreateSession, readWish } from './prepare'

/** Preparing uploads through a queue, for hosts that cannot keep working after they have answered. */

const queued = z.object({
  version: z.literal(1),
  /** The client's name; other versions leave it out. */
  client: z.string().optional(),
  fields: z.record(z.string(), z.string()),
})

/** More than `MAX_CLAIMS`: a file that crashes every worker is refused before its message is given up. */
export const MAX_DELIVERIES = MAX_CLAIMS + 2

/** Failures that another delivery may not have. Not `timeout`: the next attempt would take as long. */
const REPEATED: readonly ErrorCode[] = ['conflict', 'unavailable', 'internal', 'too-busy']

/** @throws ServiceError for what can be refused at once; `unavailable` when the queue cannot be reached */
export async function enqueuePrepare(
  parts: Pick<MediaParts, 'uploads' | 'callbacks' | 'limits'> & { readonly send: SendMessage },
  fields: FormFields,
  { name: client }: Pick<Client, 'name'>,
): Promise<void> {
  const { window, callbackUrl } = readWish(fields)
  const id = fields.get('upload_id') ?? ''
  checkWindow(window, parts.limits.maxInputSeconds)
  parts.callbacks.check(callbackUrl, id)
  await parts.uploads.mustBeReady(id)
  await parts.send(JSON.stringify({ version: 1, client, fields: Object.fromEntries(fields) }))
}

type TakeDependencies = Pick<MediaParts, 'callbacks'> & {
  readonly createSession: CreateSession
  readonly tokens: MediaConfig['tokens']
}

/**
 * Prepares the upload that a message names. A message may be delivered twice or late, or be written by hand: an upload is used only
 * once, and a late message finds it used up.
 * @param count how many times the message has been delivered
 * @returns the outcome, for the log
 * @throws when the message has to be delivered again, or at last moved to the dead-letter queue
 */
export async function takeMessage(
  { callbacks, createSession, tokens }: TakeDependencies,
  text: string,
  count: number,
  signal: AbortSignal,
): Promise<string> {
  const message = queued.safeParse(parseJson(text)).data
  const { callback_url: url, ...fields } = message?.fields ?? {}
  const id = fields.upload_id
  if (id === undefined) throw new Error('The message is not in the format of this version.')
  callbacks.check(url, id)
  const headers = { 'Content-Type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify(fields) }
  const asked = { request: new Request('https://queue/prepare', init), texts: [], readForm: readWish }
  const client = clientNamed(tokens, message?.client, 'queue')
  const failure: unknown = await createSession(asked, { client, signal }).then(
    () => undefined,
    (error) => error,
  )
  const code = failure === undefined ? 'done' : failureOf(failure).error.code
  const isRepeated = code !== 'done' && REPEATED.includes(code) && !isCancel(failure)
  if (url !== undefined && (!isRepeated || count >= MAX_DELIVERIES)) await callbacks.tell(url, id, signal)
  if (isRepeated) throw failure
  return code
}
