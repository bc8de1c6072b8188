import { createSecretKey, type KeyObject } from 'node:crypto'
import { isLoopbackAddress, isPublicAddress, isSiteAddress } from '@lantern-room/base/network'
import { parseList, parseOrigin, type SettingReader } from '@lantern-room/base/settings'
import type { ServiceToken } from './tokens'

export type CallbackSettings = ReturnType<typeof readCallbackSettings>

const SECRET =
  'whsec_ and the base64 of 24 to 64 bytes, and only where the service has one token: each of several clients could have callbacks sent ' +
  'to the others in their name. Give each client a service of its own, or leave callbacks out'

const ORIGINS =
  'https origins such as https://app.example.com, or http ones of localhost or addresses of the own network, separated by commas; only with CALLBACK_SECRET'

/**
 * The origins that callbacks may go to, and the secret that signs them. Both are the service's, so that it may have one client only.
 * @example readCallbackSettings(readSettings(process.env), tokens).origins
 */
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
