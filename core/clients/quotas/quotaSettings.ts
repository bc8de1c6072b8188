import { parseList, type SettingReader } from '@lantern-room/base/settings'
import type { ServiceToken } from '../tokens'
import { KINDS, type Kind, type Usage } from './usage'

/** What each client may use in a day, by its name. Empty = nothing is counted. */
export type QuotaSettings = ReadonlyMap<string, Usage>

/** In place of a name: every client with a name and without an entry of its own. */
const OTHERS = '*'

const ALLOWED =
  'name:photos=N:seconds=N:bytes=N with one quota a day or more for each client, several clients separated by commas: each name once and ' +
  'one of MEDIA_SERVICE_TOKENS (give the client a token there first), or * for all its other names; N is a whole number from 1'

/**
 * `CLIENT_QUOTAS`.
 * @example readClientQuotas(readSettings(process.env), tokens).get('app')?.photos
 */
export function readClientQuotas(read: SettingReader, tokens: readonly ServiceToken[]): QuotaSettings {
  const names = tokens.flatMap(({ name }) => name ?? [])
  const parse = (raw: string) => parseQuotas(raw, names)
  const listed = read.parsed('CLIENT_QUOTAS', ALLOWED, parse) ?? new Map<string, Usage>()
  const others = listed.get(OTHERS)
  const quotaOf = (name: string) => listed.get(name) ?? others
  return new Map(names.flatMap((name) => [quotaOf(name)].flatMap((quota) => (quota ? [[name, quota]] : []))))
}

function parseQuotas(raw: string, names: readonly string[]): ReadonlyMap<string, Usage> | undefined {
  const entries = parseList(raw, (word) => parseEntry(word, names))
  const quotas = new Map(entries)
  return entries && names.length > 0 && quotas.size === entries.length ? quotas : undefined
}

function parseEntry(word: string, names: readonly string[]): readonly [string, Usage] | undefined {
  const [name = '', ...parts] = word.split(':')
  const quota = new Map(parts.map(parseQuota))
  const isWrong = quota.has(undefined) || quota.size === 0 || quota.size < parts.length
  if (isWrong || !(name === OTHERS || names.includes(name))) return undefined
  return [name, Object.fromEntries(quota)]
}

function parseQuota(part: string): readonly [Kind | undefined, number] {
  const [, word, digits] = /^([a-z]+)=([1-9]\d{0,14})$/.exec(part) ?? []
  return [KINDS.find((kind) => kind === word), Number(digits)]
}
