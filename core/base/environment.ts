import { LOG_LEVELS } from './log'
import removed from './removed.json'

/** Environment variables by name, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>

/** What `readSettings` returns, for functions that read a group of settings. */
export type SettingReader = ReturnType<typeof readSettings>

/**
 * Settings that are wrong. The message is for the user who set them, and shows no secret.
 * @example if (error instanceof ConfigError) for (const problem of error.problems) console.error(problem)
 */
export class ConfigError extends Error {
  /** A sentence for each variable, with what is allowed. */
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(
      problems.length === 1
        ? `A setting is wrong: ${problems[0]}`
        : `${problems.length} settings are wrong:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
    )
    this.name = 'ConfigError'
    this.problems = problems
  }
}

/** `fallback` where the variable is not set; `min` and `max` are allowed; `unit` is named in the problem. */
type IntegerRange = { fallback: number; min: number; max: number; unit?: string }

/**
 * Reads settings from environment variables, and collects what is wrong with them until `finish`, so that one start reports all of it.
 * An empty variable counts as unset: shells and templates leave empty ones behind.
 * @returns readers by type; each gives its fallback, or undefined, for a variable that is unset or wrong
 * @example
 * const read = readSettings(process.env)
 * const port = read.integer('ROOM_PORT', { fallback: 5062, min: 0, max: 65_535 })
 * read.finish() // throws ConfigError
 */
export function readSettings(env: Environment) {
  const problems: string[] = []

  const value = (name: string) => env[name]?.trim() || undefined

  /** Reads with `parse`, which returns undefined for a value that is not allowed. */
  function parsed<T>(name: string, allowed: string, parse: (value: string) => T | undefined): T | undefined {
    const raw = value(name)
    if (raw === undefined) return undefined
    const result = parse(raw)
    if (result === undefined) problems.push(`${name}=${shown(name, raw)}: allowed is ${allowed}.`)
    return result
  }

  function choice<T extends string>(name: string, allowed: readonly T[], fallback: T): T {
    const words = `${allowed.join(', ')}; the default is ${fallback}`
    return parsed(name, words, (raw) => allowed.find((word) => word === raw.toLowerCase())) ?? fallback
  }

  return {
    text: (name: string, fallback?: string) => value(name) ?? fallback,
    parsed,
    integer(name: string, { fallback, min, max, unit }: IntegerRange) {
      const allowed = `a whole number from ${min} to ${max}${unit ? ` (${unit})` : ''}; the default is ${fallback}`
      return parsed(name, allowed, (raw) => parseInteger(raw, min, max)) ?? fallback
    },
    flag: (name: string, fallback: boolean) =>
      parsed(name, `true or false (also 1 or 0); the default is ${fallback}`, parseFlag) ?? fallback,
    choice,
    /** A bearer token of at least 8 characters. */
    token: (name: string) =>
      parsed(name, 'at least 8 characters of A–Z a–z 0–9 - . _ ~ + / (and = at the end)', parseToken),
    /** `LOG_LEVEL`; the default is info. */
    logLevel: () => choice('LOG_LEVEL', LOG_LEVELS, 'info'),
    /** @throws ConfigError when any variable was bad */
    finish() {
      if (problems.length > 0) throw new ConfigError(problems)
    },
  }
}

/**
 * Reads an http or https address, which loses its final slashes.
 * @returns undefined for anything else, and for addresses with a query, a fragment or a user name
 * @example parseWebAddress('https://photos.example.com/api/') // 'https://photos.example.com/api'
 */
export function parseWebAddress(raw: string): string | undefined {
  const url = URL.canParse(raw) ? new URL(raw) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username) return undefined
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
}

/**
 * Reads an origin, `scheme://host[:port]`; a slash at the end is accepted, a path is not.
 * @returns it as browsers write it: in lower case, without the usual port of its scheme; undefined for anything else
 * @example parseOrigin('https://Photos.example.com:443/') // 'https://photos.example.com'
 */
export function parseOrigin(raw: string): string | undefined {
  if (LITERAL_ORIGIN.test(raw) && !/^https?:/i.test(raw)) return raw.toLowerCase()
  const url = URL.canParse(raw) ? new URL(raw) : undefined
  if (!url || url.origin === 'null' || url.pathname !== '/' || url.search || url.hash) return undefined
  return url.origin
}

/** The origin of a page that a program shows under a scheme of its own, such as `tauri://localhost` or `app://-`. */
const LITERAL_ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9._-]+(:\d{1,5})?$/i

/**
 * Reads values that are separated by commas.
 * @param parse reads one of them, without spaces around it; undefined when it is not allowed
 * @returns undefined when there is none, or one of them is not allowed
 * @example parseList('https://a.example, https://b.example', parseOrigin)
 */
export function parseList<T>(raw: string, parse: (word: string) => T | undefined): readonly T[] | undefined {
  const words = raw
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)
  const values = words.map(parse).filter((value) => value !== undefined)
  return values.length > 0 && values.length === words.length ? values : undefined
}

/**
 * Reads a bearer token (RFC 6750) of at least 8 characters.
 * @returns undefined for anything else
 * @example parseToken('hunter2') // undefined: too short
 */
export function parseToken(raw: string): string | undefined {
  return /^[A-Za-z0-9\-._~+/]{8,}=*$/.test(raw) ? raw : undefined
}

/**
 * Reads a truth value: 1, true, yes, on, or 0, false, no, off, in any case.
 * @returns undefined for anything else
 * @example parseFlag('off') // false
 */
export function parseFlag(raw: string): boolean | undefined {
  const word = raw.toLowerCase()
  if (['1', 'true', 'yes', 'on'].includes(word)) return true
  if (['0', 'false', 'no', 'off'].includes(word)) return false
  return undefined
}

function parseInteger(raw: string, min: number, max: number): number | undefined {
  const number = /^\d{1,16}$/.test(raw) ? Number(raw) : Number.NaN
  return number >= min && number <= max ? number : undefined
}

/** Secrets are never shown; other values are, cut to a length that fits a terminal. */
function shown(name: string, raw: string): string {
  if (/TOKEN|SECRET|PASSWORD|KEY/.test(name)) return '(not shown)'
  return JSON.stringify(raw.length > 60 ? `${raw.slice(0, 60)}…` : raw)
}

/**
 * What to tell a user whose environment still has settings that no longer exist.
 * @returns a sentence for each, with what to use instead; a setting that is empty counts as unset
 * @example for (const sentence of removedSettings(process.env)) console.error(sentence)
 */
export function removedSettings(env: Environment): readonly string[] {
  return Object.entries(removed.settings).flatMap(([setting, instead]) =>
    env[setting]?.trim() ? [`${setting} no longer exists: ${instead}.`] : [],
  )
}
