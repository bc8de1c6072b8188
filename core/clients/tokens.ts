import { parseList, parseToken, type SettingReader } from '@lantern-room/base/settings'

/** A bearer token that the service accepts. */
export type ServiceToken = {
  readonly token: string
  /** Its bearers count as one client of this name; undefined = clients are told apart by their addresses. */
  readonly name: string | undefined
  /** How many jobs of its bearers run at a time; undefined = as many as the service runs. */
  readonly maxJobs: number | undefined
  /** Largest upload in bytes; undefined = the service's own limit. */
  readonly maxUploadBytes: number | undefined
}

const ALLOWED =
  'name:token[:max_jobs[:max_upload_bytes]], several separated by commas: each name (A–Z a–z 0–9 . _ -) and each token ' +
  '(at least 8 characters of A–Z a–z 0–9 - . _ ~ + / =) once, max_jobs from 1, max_upload_bytes from 1024'

const MIN_UPLOAD_BYTES = 1024

/**
 * `MEDIA_SERVICE_TOKENS`, which have names and limits, then `MEDIA_SERVICE_TOKEN`, which has neither.
 * @example readServiceTokens(readSettings({ MEDIA_SERVICE_TOKEN: 'long-enough' })).length // 1
 */
export function readServiceTokens(read: SettingReader): readonly ServiceToken[] {
  const named = read.parsed('MEDIA_SERVICE_TOKENS', ALLOWED, parseTokens) ?? []
  const token = read.token('MEDIA_SERVICE_TOKEN')
  return [...named, ...unnamedToken(token)]
}

/**
 * The entry of a token without a name and limits of its own; none for undefined.
 * @example unnamedToken('of-this-start')[0]?.token // 'of-this-start'
 */
export function unnamedToken(token: string | undefined): readonly ServiceToken[] {
  if (token === undefined) return []
  return [{ token, name: undefined, maxJobs: undefined, maxUploadBytes: undefined }]
}

function parseTokens(raw: string): readonly ServiceToken[] | undefined {
  const tokens = parseList(raw, parseNamedToken)
  const isOnce = (values: readonly unknown[]) => new Set(values).size === values.length
  return tokens && isOnce(tokens.map(({ name }) => name)) && isOnce(tokens.map(({ token }) => token))
    ? tokens
    : undefined
}

function parseNamedToken(word: string): ServiceToken | undefined {
  const [, name, secret = '', jobs, bytes] =
    /^([\w.-]{1,64}):([^:]+)(?::(\d{1,6})(?::(\d{1,15}))?)?$/.exec(word) ?? []
  const token = parseToken(secret)
  const maxJobs = jobs === undefined ? undefined : Number(jobs)
  const maxUploadBytes = bytes === undefined ? undefined : Number(bytes)
  if (token === undefined || (maxJobs ?? 1) < 1 || (maxUploadBytes ?? MIN_UPLOAD_BYTES) < MIN_UPLOAD_BYTES) {
    return undefined
  }
  return { token, name, maxJobs, maxUploadBytes }
}
