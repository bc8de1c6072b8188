import { parseJson } from '@lantern-room/base/bytes'
import { z } from 'zod'
import { hasLifetime } from '../sessions/session'
import { encodeFields, type Fields, fieldsOf } from '../storedFields'

/** A file that a client may send separately, before the request that makes a session of it. */
const uploadRecord = z.object({
  upload_id: z.string(),
  /** Unix time in seconds. */
  created_at: z.number(),
  /** Unix time in seconds; as with sessions, the record's own. */
  expires_at: z.int(),
  /** Bytes that it must have. */
  size: z.int().positive(),
  /** Media type that it must be sent with. */
  content_type: z.string(),
})

export type Upload = Omit<Fields<z.infer<typeof uploadRecord>>, 'uploadId'> & { readonly id: string }

/** How long an upload may be sent and prepared. */
export const UPLOAD_TTL_SECONDS = 3600

/** How long one waits that was accepted to be prepared without a request that waits: a queue may be long. */
export const ACCEPTED_TTL_SECONDS = 86_400

/** The type that is always accepted for a file: some gateways take every other one for text, and damage it. */
export const BYTES_TYPE = 'application/octet-stream'

/**
 * `record` is written first. Creating `stored` is the permission to store the file, creating `claim` that to use it.
 * `status` tells how far it is, and outlives the others; `cancel` asks who works on it to stop;
 * `asked`: how it is to be prepared, where no request waits for that; `again`: when that was last sent to the queue once more.
 */
export const uploadKeys = (id: string) => ({
  file: `uploads/${id}`,
  record: `uploads/${id}.json`,
  stored: `uploads/${id}.stored`,
  claim: `uploads/${id}.claim`,
  status: `uploads/${id}.status`,
  cancel: `uploads/${id}.cancel`,
  asked: `uploads/${id}.asked`,
  again: `uploads/${id}.again`,
})

/** @returns the id in a key below `uploads/`, or undefined for any other key */
export function uploadIdOfKey(key: string): string | undefined {
  return /^uploads\/([0-9a-f]{32})(\.\w+)?$/.exec(key)?.[1]
}

/** Media types as HTTP writes them, with parameters: `video/webm; codecs="vp9,opus"`. @see RFC 9110, section 8.3.1 */
const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const MEDIA_TYPE = new RegExp(`^${TOKEN}/${TOKEN}([ \\t]*;[ \\t]*${TOKEN}=(${TOKEN}|"[ !#-\\[\\]-~]*"))*$`)

export function isMediaType(text: string): boolean {
  return text.length <= 200 && MEDIA_TYPE.test(text)
}

/**
 * Whether a file may be sent with this type. Case and spaces are ignored, because proxies may change them.
 */
export function mayBeSentAs(type: string, { contentType }: Pick<Upload, 'contentType'>): boolean {
  const plain = (text: string) => text.replaceAll(/[ \t]/g, '').toLowerCase()
  return [contentType, BYTES_TYPE].some((allowed) => plain(allowed) === plain(type))
}

export function encodeUpload({ id, ...others }: Upload): Uint8Array {
  return encodeFields<z.infer<typeof uploadRecord>>({ uploadId: id, ...others })
}

/** @returns undefined when the bytes are no record of an upload */
export function decodeUpload(bytes: Uint8Array): Upload | undefined {
  const stored = uploadRecord.refine(hasLifetime).safeParse(parseJson(bytes)).data
  if (!stored) return undefined
  const { uploadId, ...others } = fieldsOf(stored)
  return { ...others, id: uploadId }
}
