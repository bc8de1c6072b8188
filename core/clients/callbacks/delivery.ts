import { parseJson } from '@lantern-room/base/bytes'
import { jsonObject, type Objects } from '../objects'

/**
 * What the store keeps of callbacks, so that they last longer than the process that began them.
 *
 * `callbacks/due/<Unix seconds>-<upload>`: one try that is due then. The next one is created before the try, which is the right to make it:
 * two hosts cannot both create it, and when the process ends meanwhile, it is there. A callback that is not due yet is only listed.
 *
 * `callbacks/told/<upload>`: how that has gone so far.
 */

const DUE_PREFIX = 'callbacks/due/'
/** How callbacks have gone, by uploads. */
export const TOLD_PREFIX = 'callbacks/told/'

/** What is told, always in the same words, so that a receiver can ignore repetitions. */
export type Message = { readonly id: string; readonly body: string }

/** A callback that is on its way; without a message while the outcome is not known. */
export type Delivery = {
  readonly url: string
  readonly uploadId: string
  /** The client's name; undefined for one without. */
  readonly client: string | undefined
  /** Unix time in seconds: when the first try was, or when the callback was asked for. */
  readonly since: number
  readonly tries: number
  readonly message: Message | undefined
}

/** Seconds after `since`, and then it is given up. The first three tries are made at once, within 20 s. */
const RETRIES = [30, 120, 600, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 24 * 3600]
/** When it is looked for an outcome of which nothing has told; an upload may wait for a day in a queue, and its work takes some more. */
const LOOKS = [
  60,
  120,
  300,
  600,
  1200,
  1800,
  2700,
  ...[1, 1.5, 2, 3, 4, 6, 9, 12, 18, 24, 25].map((hours) => hours * 3600),
]
/** After the last try, for a process that ends meanwhile. */
const CLOSING_SECONDS = 300

export type DueKey = { readonly key: string; readonly dueAt: number }

/** The next of the fixed times of a delivery after `nowSeconds`, the same on all hosts. @returns undefined after the last one */
export function nextDue(delivery: Delivery, nowSeconds: number): DueKey | undefined {
  const { uploadId, since, message } = delivery
  const offsets = message ? RETRIES : LOOKS
  const closing = (offsets.at(-1) ?? 0) + CLOSING_SECONDS
  const dueAt = [...offsets, closing].map((offset) => since + offset).find((time) => time > nowSeconds)
  if (dueAt === undefined) return undefined
  return { key: `${DUE_PREFIX}${String(dueAt).padStart(11, '0')}-${uploadId}`, dueAt }
}

/** Whether no try is left: what comes is only the end of a delivery. */
export function isOver({ since, message }: Delivery, nowSeconds: number): boolean {
  return nowSeconds >= since + ((message ? RETRIES : LOOKS).at(-1) ?? 0) + CLOSING_SECONDS
}

/** Whether the try that is made now is the last one. */
export function isLast({ since }: Delivery, nowSeconds: number): boolean {
  return nowSeconds >= since + (RETRIES.at(-1) ?? 0)
}

/** The keys of what is due, the oldest first. */
export async function* dueKeys(store: Pick<Objects, 'list'>, nowSeconds: number): AsyncGenerator<string> {
  for await (const { key } of store.list(DUE_PREFIX)) {
    const [, due = ''] = /^(\d{11})-[0-9a-f]{32}$/.exec(key.slice(DUE_PREFIX.length)) ?? []
    if (due === '') continue
    if (Number(due) > nowSeconds) return
    yield key
  }
}

/** @returns false when another host has created it */
export function createDue(
  store: Pick<Objects, 'createBytes'>,
  { key }: DueKey,
  delivery: Delivery,
): Promise<boolean> {
  return store.createBytes(key, ...jsonObject({ version: 1, ...delivery }))
}

/** @returns undefined when it is gone, or of another version */
export async function readDue(store: Pick<Objects, 'get'>, key: string): Promise<Delivery | undefined> {
  const fields = fieldsIn(await store.get(key))
  const [url, uploadId, client, since] = ['url', 'uploadId', 'client', 'since'].map((name) =>
    fields.get(name),
  )
  if (fields.get('version') !== 1 || typeof url !== 'string' || typeof uploadId !== 'string') return undefined
  if (!URL.canParse(url) || !key.endsWith(`-${uploadId}`) || !Number.isSafeInteger(since)) return undefined
  return {
    url,
    uploadId,
    client: typeof client === 'string' ? client : undefined,
    since: Number(since),
    tries: Number(fields.get('tries')) || 0,
    message: messageIn(fields.get('message')),
  }
}

/** How a callback has gone so far, and the outcome that it tells. */
export type Told = {
  readonly message: Message
  readonly state: 'pending' | 'delivered' | 'given_up'
  readonly tries: number
  /** Unix time in seconds of the next try; undefined when there is none. */
  readonly nextAt: number | undefined
}

export async function writeTold(
  store: Pick<Objects, 'putBytes'>,
  uploadId: string,
  told: Told,
): Promise<void> {
  await store.putBytes(`${TOLD_PREFIX}${uploadId}`, ...jsonObject(told))
}

/**
 * How the callback of an upload has gone so far.
 * @param uploadId well-formed or not
 * @returns undefined where there is none
 * @example (await readTold(store, uploadId))?.state // 'delivered'
 */
export async function readTold(store: Pick<Objects, 'get'>, uploadId: string): Promise<Told | undefined> {
  if (!isUploadId(uploadId)) return undefined
  const fields = fieldsIn(await store.get(`${TOLD_PREFIX}${uploadId}`))
  const message = messageIn(fields.get('message'))
  const state = (['pending', 'delivered', 'given_up'] as const).find((word) => word === fields.get('state'))
  if (!message || !state) return undefined
  const nextAt = fields.get('nextAt')
  const tries = Number(fields.get('tries')) || 0
  return { message, state, tries, nextAt: typeof nextAt === 'number' ? nextAt : undefined }
}

/**
 * For a sweep.
 * @returns the id in a key below `callbacks/told/`; undefined for any other key
 * @example uploadIdOfTold(`${TOLD_PREFIX}${uploadId}`) // uploadId
 */
export function uploadIdOfTold(key: string): string | undefined {
  return /^callbacks\/told\/([0-9a-f]{32})$/.exec(key)?.[1]
}

/** Keys are made of it. */
export function isUploadId(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text)
}

function messageIn(value: unknown): Message | undefined {
  const fields = fieldsOf(value)
  const [id, body] = [fields.get('id'), fields.get('body')]
  return typeof id === 'string' && typeof body === 'string' ? { id, body } : undefined
}

function fieldsIn(bytes: Uint8Array | undefined): ReadonlyMap<string, unknown> {
  return fieldsOf(bytes && parseJson(bytes))
}

function fieldsOf(value: unknown): ReadonlyMap<string, unknown> {
  return new Map(typeof value === 'object' && value !== null ? Object.entries(value) : [])
}
