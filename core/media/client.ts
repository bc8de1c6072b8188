import { createSecretKey, type KeyObject } from 'node:crypto'
import { isLoopbackAddress, isPublicAddress, isSiteAddress } from '@lantern-room/base/network'
import { parseList, parseOrigin, parseToken, type SettingReader } from '@lantern-room/base/settings'

/** The origin of a request, in the detail needed to tell clients apart. */
export type Client = {
  /** Clients with the same id share one turn in the queue. */
  readonly id: string
} & Partial<Pick<ServiceToken, 'maxJobs' | 'maxUploadBytes'>>

/** A request's client, and the signal that aborts when it disconnects or the host ends the request. */
export type Caller = { readonly client: Client; readonly signal: AbortSignal }

/** @param bytes the service's own limit */
export function uploadLimitOf(client: Client, bytes: number): number {
  return Math.min(bytes, client.maxUploadBytes ?? bytes)
}

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

/** `MEDIA_SERVICE_TOKENS`, which have names and limits, then `MEDIA_SERVICE_TOKEN`, which has neither. */
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

export type CallbackSettings = ReturnType<typeof readCallbackSettings>

const SECRET =
  'whsec_ and the base64 of 24 to 64 bytes, and only where the service has one token: each of several clients could have callbacks sent ' +
  'to the others in their name. Give each client a service of its own, or leave callbacks out'

const ORIGINS =
  'https origins such as https://app.example.com, or http ones of localhost or addresses of the own network, separated by commas; only with CALLBACK_SECRET'

/** The origins that callbacks may go to, and the secret that signs them. Both are the service's, so that it may have one client only. */
export function readCallbackSettings(read: SettingReader, tokens: readonly ServiceToken[]) {
  const parseOnly = (raw: string) => (tokens.length > 1 ? undefined : parseSecret(raw))
  const secret = read.parsed('CALLBACK_SECRET', SECRET, parseOnly)
  const parse = (raw: string) => (secret ? parseList(raw, parseTarget) : undefined)
  return { secret, origins: read.parsed('CALLBACK_ORIGINS', ORIGINS, parse) ?? [] }
}

/** As a KeyObject, which no log shows. */
function parseSecret(raw: string): KeyObject | undefined {
  const [, base64] = /^(?:whsec_)?([A-Za-z0-9+/]{32,86}={0,2})$/.exec(raw) ?? []
  return base64 === undefined ? undefined : createSecretKey(base64, 'base64')
}

function parseTarget(word: string): string | undefined {
  const origin = parseOrigin(word)
  if (origin === undefined || !/^https?:/.test(origin)) return undefined
  const { protocol, hostname } = new URL(origin)
  const host = hostname.replace(/^\[|\]$/g, '')
  const isOwn = host === 'localhost' || isLoopbackAddress(host) || isSiteAddress(host)
  const isElsewhere = /^[^:]*[^\d.:][^:]*$/.test(host) || isPublicAddress(host)
  return isOwn || (protocol === 'https:' && isElsewhere) ? origin : undefined
}
