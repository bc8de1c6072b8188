import { speak } from '../../shared/language'
import problems from './problems.json'

const tell = speak(problems)

/** What is wrong, by the words in which the service says it to programs: these name fields and count bytes. */
const REASONS: readonly (readonly [RegExp, keyof typeof problems])[] = [
  [/larger than (\d+) bytes/, 'large'],
  [/still image|photo without a video/, 'still'],
  [/not a video or an animated image/, 'noVideo'],
  [/damaged, incomplete|is damaged|is cut\b/, 'damaged'],
  [/sound without a picture/, 'sound'],
  [/no moving picture/, 'pictureless'],
  [/encrypted|protection/, 'encrypted'],
  [/Dolby Vision/, 'dolby'],
  [/codec|cannot be decoded/, 'codec'],
  [/megapixels|million pixels/, 'pixels'],
  [/no pair/, 'pair'],
  [/would last/, 'long'],
  [/must be less than|ends too early/, 'incomplete'],
  [/must be at least [\d.]+ s after|less than [\d.]+ s/, 'short'],
  [/^(range_\w+|cover_time|timestamp)\b/, 'range'],
  [/^crop\b/, 'crop'],
  [/cover_file|^The (picture|cover)/, 'picture'],
]

/** Those of which the file is to blame, where nothing says why; any other refusal is about a setting. */
const ABOUT_FILES: ReadonlySet<string> = new Set([
  'invalid-request',
  'unsupported-media',
  'payload-too-large',
])
const ABOUT_SETTINGS: ReadonlySet<string> = new Set(['out-of-range', 'unprocessable'])

/** @returns a sentence for a person; undefined for what has one of its own by its code */
export function reasonOfRefusal({
  code,
  detail,
}: {
  readonly code: string
  readonly detail: string
}): string | undefined {
  if (!ABOUT_FILES.has(code) && !ABOUT_SETTINGS.has(code)) return undefined
  for (const [pattern, key] of REASONS) {
    const [found, bytes] = pattern.exec(detail) ?? []
    if (found !== undefined) return tell(key, bytes === undefined ? undefined : limitOf(Number(bytes)))
  }
  return tell(ABOUT_FILES.has(code) ? 'file' : 'setting')
}

/** A limit as it was set: `500 MB` are 500 MiB of the settings. */
function limitOf(bytes: number): string {
  if (bytes >= 2 ** 20) return `${Math.round(bytes / 2 ** 20)}\u00a0MB`
  return `${Math.max(1, Math.round(bytes / 1000))}\u00a0kB`
}
