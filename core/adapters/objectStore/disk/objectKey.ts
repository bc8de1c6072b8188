import { ServiceError } from '@lantern-room/base'

/** S3's limit, too. */
const MAX_KEY_LENGTH = 1024
const MAX_PART_LENGTH = 255
const part = /^[A-Za-z0-9._-]+$/

/**
 * The parts of an object's key.
 * @throws ServiceError `internal`: core makes every key, so a bad one is a mistake in the program and reaches no disk
 */
export function keyParts(key: string): string[] {
  if (!isKey(key)) throw badKey(key)
  return key.split('/')
}

export function isKey(text: string): boolean {
  return text.length <= MAX_KEY_LENGTH && text.split('/').every(isKeyPart)
}

export function isKeyPart(name: string): boolean {
  return name.length <= MAX_PART_LENGTH && part.test(name) && name !== '.' && name !== '..'
}

/**
 * The folder in which every key with this prefix lies.
 * @returns the folder's parts; the rest of the prefix begins names in it
 */
export function prefixFolder(prefix: string): string[] {
  const end = prefix.lastIndexOf('/')
  if (!/^[A-Za-z0-9._-]*$/.test(prefix.slice(end + 1))) throw badKey(prefix)
  return end === -1 ? [] : keyParts(prefix.slice(0, end))
}

function badKey(key: string): ServiceError {
  return mistake(`not an object key: ${JSON.stringify(key.slice(0, 200))}`)
}

/** Core makes every name, so a bad one is a mistake in the program. */
export function mistake(what: string): ServiceError {
  const detail = 'The service made a mistake. Please report it.'
  return new ServiceError('internal', detail, { cause: new Error(what) })
}
