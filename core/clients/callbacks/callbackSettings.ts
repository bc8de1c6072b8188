import { createSecretKey, type KeyObject } from 'node:crypto'
import { isLoopbackAddress, isPublicAddress, isSiteAddress } from '@lantern-room/base/network'
import { parseList, parseOrigin, type SettingReader } from '@lantern-room/base/settings'
import type { ServiceToken } from '../tokens'

/** Where callbacks of a client may go, and the secrets that sign them: all of them at once, so that a receiver can change its own. */
export type ClientCallbacks = { readonly origins: readonly string[]; readonly secrets: readonly KeyObject[] }

export type CallbackSettings = {
  /** Where the service has one client only. */
  readonly everyone: ClientCallbacks | undefined
  readonly byName: ReadonlyMap<string, ClientCallbacks>
}

const SECRET =
  'whsec_ and the base64 of 24 to 64 bytes, several separated by commas while receivers change to the first of them; where the service has ' +
  'several tokens, each with the name of its client, as in app:whsec_…, and no secret of another client'

const ORIGINS =
  'https origins such as https://app.example.com, or http ones of localhost or addresses of the own network, separated by commas; only with ' +
  'CALLBACK_SECRET, and where that has names, each with one of them, as in app:https://app.example.com'

/** More would only make requests longer. */
const MAX_SECRETS = 4

type Named<T> = { readonly name: string | undefined; readonly value: T }

/**
 * `CALLBACK_SECRET` and `CALLBACK_ORIGINS`: both without names, for a service with one client, or both with the names of tokens.
 * @example readCallbackSettings(readSettings(process.env), tokens).everyone?.origins
 */
export function readCallbackSettings(read: SettingReader, tokens: readonly ServiceToken[]): CallbackSettings {
  const names = tokens.flatMap(({ name }) => name ?? [])
  const parseSecrets = (raw: string) => secretsIn(raw, names, tokens.length <= 1)
  const secrets = read.parsed('CALLBACK_SECRET', SECRET, parseSecrets) ?? []
  const signing = new Set(secrets.map(({ name }) => name))
  const parseTargets = (raw: string) => {
    const targets = parseList(raw, (word) => namedIn(word, parseTarget))
    return targets?.every(({ name }) => signing.has(name)) ? targets : undefined
  }
  const targets = read.parsed('CALLBACK_ORIGINS', ORIGINS, parseTargets) ?? []
  const of = (name: string | undefined): ClientCallbacks => ({
    origins: targets.flatMap((target) => (target.name === name ? target.value : [])),
    secrets: secrets.flatMap((secret) => (secret.name === name ? secret.value : [])),
  })
  return {
    everyone: signing.has(undefined) ? of(undefined) : undefined,
    byName: new Map([...signing].flatMap((name) => (name === undefined ? [] : [[name, of(name)]]))),
  }
}

/** What holds for the client of this name; undefined where it may have no callbacks. */
export function callbacksOf(
  { everyone, byName }: CallbackSettings,
  name: string | undefined,
): ClientCallbacks | undefined {
  return (name === undefined ? undefined : byName.get(name)) ?? everyone
}

function secretsIn(
  raw: string,
  names: readonly string[],
  isOneClient: boolean,
): readonly Named<KeyObject>[] | undefined {
  const secrets = parseList(raw, (word) => namedIn(word, parseSecret))
  const isKnown = secrets?.every(({ name }) => (name === undefined ? isOneClient : names.includes(name)))
  if (!secrets || !isKnown) return undefined
  const isMixed = new Set(secrets.map(({ name }) => name === undefined)).size > 1
  const isShared = secrets.some((one, index) =>
    secrets.slice(index + 1).some((other) => one.value.equals(other.value)),
  )
  const counts = [...new Set(secrets.map(({ name }) => name))].map(
    (name) => secrets.filter((secret) => secret.name === name).length,
  )
  return isMixed || isShared || Math.max(...counts) > MAX_SECRETS ? undefined : secrets
}

/** `name:value`, or the value alone. */
function namedIn<T>(word: string, parse: (value: string) => T | undefined): Named<T> | undefined {
  const alone = parse(word)
  if (alone !== undefined) return { name: undefined, value: alone }
  const [, name, rest = ''] = /^([\w.-]{1,64}):(.+)$/.exec(word) ?? []
  const value = parse(rest)
  return name === undefined || value === undefined ? undefined : { name, value }
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
