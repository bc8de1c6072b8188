import { parseJson } from '@lantern-room/base/bytes'
import { z } from 'zod'
import type { ObjectStore } from '../objectStore/ports'
import { uploadKeys } from './upload'

/** How an upload is to be prepared that no request waits for: what a queue carries, and what the store keeps until it is done. */
const asked = z.object({
  version: z.literal(1),
  /** Of POST /prepare, `upload_id` among them. */
  fields: z.record(z.string(), z.string()),
  /** The name of the client's token, if it has one. */
  client: z.string().optional(),
  /** When it was asked for, in milliseconds of Unix time, where that is noted for the turns of clients. */
  sinceMs: z.int().nonnegative().optional(),
})

export type Asked = z.infer<typeof asked>

export function encodeAsked(wish: Asked): string {
  return JSON.stringify(wish)
}

/** @returns undefined for what this version has not written */
export function decodeAsked(text: string | Uint8Array): Asked | undefined {
  return asked.safeParse(parseJson(text)).data
}

export async function keepAsked(
  store: Pick<ObjectStore, 'putBytes'>,
  id: string,
  wish: Asked,
): Promise<void> {
  const bytes = new TextEncoder().encode(encodeAsked(wish))
  await store.putBytes(uploadKeys(id).asked, bytes, { contentType: 'application/json' })
}

export async function readAsked(store: Pick<ObjectStore, 'get'>, id: string): Promise<Asked | undefined> {
  const bytes = await store.get(uploadKeys(id).asked)
  return bytes && decodeAsked(bytes)
}

/**
 * Goes on with an upload that no request waits for, if no process seems to work on it.
 * @param isClaimed whether one did, and has ended
 * @returns false where nobody has asked for that
 */
export type Resume = (id: string, isClaimed: boolean) => Promise<boolean>
