import { describeError, type ErrorCode, type Log } from '@lantern-room/base'
import { type Clock, repeat } from '@lantern-room/base/async'
import type { FormFields } from '@lantern-room/base/fields'
import { failureOf } from '@lantern-room/base/http'
import { type Client, clientNamed, shownClient, type Turns, type WaitingWork } from '@lantern-room/clients'
import { type CreateSession, type PrepareLater, readWish } from '../api/prepare'
import type { MediaConfig } from '../config'
import type { JobQueue } from '../jobs/jobQueue'
import type { MediaParts } from '../parts'
import type { QueueMessage, SendMessage } from '../ports'
import { madeBefore } from '../preview/createSession'
import { checkWindow } from '../preview/window'
import { isId, type Session } from '../sessions/session'
import { type Asked, decodeAsked, encodeAsked, type Resume, readAsked } from '../uploads/asked'
import { MAX_CLAIMS } from '../uploads/claims'
import { UPLOAD_TTL_SECONDS, uploadKeys } from '../uploads/upload'
import { isCancel, STALE_AFTER_SECONDS, UploadError } from '../uploads/uploadErrors'
import { askedRequest } from './askedRequest'

/** Preparing uploads through a queue that hosts and functions share. */

/** More than `MAX_CLAIMS`: a file that crashes every worker is refused before its message is given up. */
export const MAX_DELIVERIES = MAX_CLAIMS + 2

/** Failures that another delivery may not have. Not `timeout`: the next attempt would take as long. */
const REPEATED: readonly ErrorCode[] = ['conflict', 'unavailable', 'internal', 'too-busy']

/** A message is kept from others for that long; whoever works on it says so three times meanwhile. */
export const HOLD_SECONDS = 30

/** Until a message is given again whose work has failed, by how many times it was given; then as the last. */
const PAUSES_SECONDS = [5, 30, 60, 180, 300, 600]

type EnqueueParts = Pick<MediaParts, 'uploads' | 'sessions' | 'callbacks' | 'quotas' | 'limits' | 'clock'>

/**
 * @returns the session where the upload has become one already
 * @throws ServiceError for what can be refused at once; `unavailable` when the queue cannot be reached
 */
async function enqueuePrepare(
  parts: EnqueueParts,
  { send, turns }: Door,
  fields: FormFields,
  client: Pick<Client, 'name'>,
): Promise<Session | undefined> {
  const { uploads, callbacks, quotas, limits, clock } = parts
  const { window, callbackUrl } = readWish(fields)
  const id = fields.get('upload_id') ?? ''
  checkWindow(window, limits.maxInputSeconds)
  callbacks.check(callbackUrl, id, client)
  await quotas.check(client, { seconds: 0, bytes: 0 })
  const sinceMs = turns && clock.unixTime()
  const wish: Asked = { version: 1, fields: Object.fromEntries(fields), client: client.name, sinceMs }
  try {
    await uploads.accept(id, wish)
  } catch (error) {
    const session = await madeBefore(parts, id, window, error)
    if (session) return session
    throw error
  }
  await turns?.wait(waitingOf(wish))
  await send(encodeAsked(wish), { group: client.name })
  return undefined
}

function waitingOf({ client, fields, sinceMs = 0 }: Asked): WaitingWork {
  return { client, sinceMs, id: fields.upload_id ?? '' }
}

/** `turns`: undefined where all clients count as one, so that nothing is noted for them. */
type Door = { readonly send: SendMessage; readonly turns: Turns | undefined }

/** Answers as soon as the queue has taken the message. */
export function enqueuing(parts: EnqueueParts, door: Door): PrepareLater {
  return async (fields, client) => (await enqueuePrepare(parts, door, fields, client)) ?? 'received'
}

/**
 * For `GET /uploads/{upload_id}`: sends an upload to the queue again whose process has ended, since its own message comes later. A process
 * may end before it has claimed the upload; as that cannot be told from a long queue, it is sent again ever more rarely.
 */
export function resumeByQueue({
  store,
  clock,
  log,
  send,
}: Pick<MediaParts, 'store' | 'clock'> & {
  readonly log: Pick<Log, 'warn'>
  readonly send: SendMessage
}): Resume {
  return async (id, isClaimed) => {
    const keys = uploadKeys(id)
    const asked = await store.head(keys.asked)
    if (!asked) return false
    const last = await store.head(keys.again)
    const [askedMs, lastMs] = [asked.modifiedAt.getTime(), last?.modifiedAt.getTime()]
    const dueMs = isClaimed
      ? (lastMs ?? 0) + AGAIN_MS
      : askedMs + Math.max(FIRST_MS, 2 * ((lastMs ?? 0) - askedMs))
    if (clock.unixTime() < dueMs) return true
    const wish = await readAsked(store, id)
    if (!wish) return false
    await store.putBytes(keys.again, new Uint8Array(1), { contentType: 'application/octet-stream' })
    await send(encodeAsked(wish), { group: wish.client }).catch(async (error: unknown) => {
      log.warn('an upload was not sent to the queue again', { cause: describeError(error) })
      await store.delete([keys.again])
    })
    return true
  }
}

const FIRST_MS = 30_000
/** A client that follows its upload asks every second, and the queue may be long. */
const AGAIN_MS = 60_000

type TakeParts = Pick<MediaParts, 'callbacks' | 'store' | 'uploads'> & {
  readonly send: SendMessage
  readonly turns: Turns
  readonly clock: Clock
  readonly log: Pick<Log, 'info' | 'warn'>
  /** Undefined in a function, which does what it is given: its queue is fair. */
  readonly jobs: Pick<JobQueue, 'count'> | undefined
  readonly createSession: CreateSession
  readonly tokens: MediaConfig['tokens']
}

/**
 * Prepares the upload that a message names, and holds the message meanwhile. A message may be delivered twice or late, or be written by
 * hand: an upload is used only once, a late message finds it done, and one of an upload that is in use is sent anew, for later.
 * @param draining when it aborts, a message whose client's turn has not come is given back at once. @default `signal`
 * @returns the outcome, for the log: the message has to be removed
 * @throws when the message has to be delivered again, or at last moved to the dead-letter queue
 */
export async function takeMessage(
  parts: TakeParts,
  message: Pick<QueueMessage, 'text' | 'count' | 'hold'>,
  signal: AbortSignal,
  draining = signal,
): Promise<string> {
  const { text, count } = message
  const holding = holdOn(parts, message)
  let pauseSeconds: number | undefined
  try {
    return await inTurn(parts, text, { signal, draining }, () =>
      prepareAsked(parts, { text, count, again: parts.send }, signal),
    )
  } catch (error) {
    pauseSeconds =
      signal.aborted || error === draining.reason
        ? 0
        : PAUSES_SECONDS[Math.min(count, PAUSES_SECONDS.length) - 1]
    throw error
  } finally {
    await holding.end(pauseSeconds)
  }
}

/** Does what other clients wait for, too, where it is their turn before that of the message's client. */
async function inTurn<T>(
  parts: TakeParts,
  text: string,
  { signal, draining }: Readonly<Record<'signal' | 'draining', AbortSignal>>,
  work: () => Promise<T>,
): Promise<T> {
  const { turns, jobs, tokens, store, log } = parts
  const wish = decodeAsked(text)
  if (wish?.sinceMs === undefined) return work()
  const waiting = waitingOf(wish)
  if (!jobs) return turns.begin(waiting).then(work)
  // What is done already, or was never asked for, takes no turn.
  if (!(isId(waiting.id) && (await store.head(uploadKeys(waiting.id).asked)))) return work()
  const mayRun = (name: string | undefined, running: number) => {
    const { maxJobs = Number.POSITIVE_INFINITY } = clientNamed(tokens, name, 'queue')
    const jobsOf = jobs.count().byClient.get(name ?? '')
    return Math.max(running, (jobsOf?.running ?? 0) + (jobsOf?.waiting ?? 0)) < maxJobs
  }
  const doOther = async (id: string) => {
    const other = await readAsked(store, id)
    if (!other) return
    // Its own message comes later, and says what becomes of it where this fails.
    const given = { text: encodeAsked(other), count: 1, again: async () => undefined }
    const ended = await prepareAsked(parts, given, signal).catch(describeError)
    log.info('taken before its message', { ended, ...shownClient({ name: other.client }) })
  }
  return turns.inTurn(waiting, { mayRun, doOther, signal: draining }, work)
}

/** Keeps a message from others until `end`. If its process ends, others get it half a minute later. */
function holdOn(
  { clock, log }: Pick<TakeParts, 'clock' | 'log'>,
  { hold }: Pick<QueueMessage, 'hold'>,
): { end(pauseSeconds: number | undefined): Promise<void> } {
  const over = new AbortController()
  const holdFor = (seconds: number) =>
    hold(seconds).catch((error: unknown) => {
      log.warn('a message was not held', { cause: describeError(error) })
    })
  let last = Promise.resolve()
  repeat(clock, (HOLD_SECONDS * 1000) / 3, over.signal, () => {
    last = last.then(() => holdFor(HOLD_SECONDS))
  })
  return {
    async end(pauseSeconds) {
      over.abort()
      await last
      if (pauseSeconds !== undefined) await holdFor(pauseSeconds)
    },
  }
}

/** Not what was cancelled, nor what a quota refuses until the next day. */
function mayRepeat(failure: unknown): boolean {
  const { code, retryAfterSeconds = 0 } = failureOf(failure).error
  return REPEATED.includes(code) && !isCancel(failure) && retryAfterSeconds <= UPLOAD_TTL_SECONDS
}

async function prepareAsked(
  { callbacks, createSession, tokens, uploads }: TakeParts,
  { text, count, again }: Pick<QueueMessage, 'text' | 'count'> & { readonly again: SendMessage },
  signal: AbortSignal,
): Promise<string> {
  const wish = decodeAsked(text)
  const { callback_url: url, ...fields } = wish?.fields ?? {}
  const id = fields.upload_id
  if (id === undefined) throw new Error('The message is not in the format of this version.')
  const client = clientNamed(tokens, wish?.client, 'queue')
  callbacks.check(url, id, client)
  const isLast = count >= MAX_DELIVERIES
  const caller = {
    client,
    signal,
    isRepeated: (error: unknown) => !isLast && mayRepeat(error),
  }
  const failure: unknown = await createSession(askedRequest(fields), caller).then(
    () => undefined,
    (error) => error,
  )
  const freeInSeconds = failure === undefined ? undefined : secondsInUse(failure)
  if (freeInSeconds !== undefined) {
    await again(text, { group: wish?.client, delaySeconds: freeInSeconds })
    return 'in use'
  }
  const isRepeated = failure !== undefined && mayRepeat(failure)
  if (failure !== undefined && !isRepeated) await uploads.refuse(id, failure)
  const asked = { url: url ?? '', uploadId: id, client: client.name }
  if (url !== undefined && (!isRepeated || isLast)) await callbacks.tell(asked, signal)
  if (isRepeated) throw failure
  return failure === undefined ? 'done' : failureOf(failure).error.code
}

/**
 * Seconds until an upload may be free on which another process works; undefined for every other failure. That process may end without
 * having finished, so that the message must not be lost.
 */
function secondsInUse(failure: unknown): number | undefined {
  if (!(failure instanceof UploadError))
    return failureOf(failure).error.code === 'conflict' ? STALE_AFTER_SECONDS + 1 : undefined
  return failure.refusal === 'inUse' || failure.refusal === 'takenOver' ? failure.freeInSeconds : undefined
}
