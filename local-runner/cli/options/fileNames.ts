import { extname, join, parse, resolve } from 'node:path'
import { withoutPhotoMark } from '@lantern-room/media/files'
import { isMotionPhotoProfile, type OutputProfile } from '@lantern-room/media/options'
import { printable, UsageError } from '../../commandLine/readArguments'

/** Whether a file of this name is a photo. */
export function isPhotoName(name: string): boolean {
  return /\.(jpe?g|hei[cf]|hif)$/i.test(name)
}

export function inputPaths(words: readonly string[], folder: string) {
  const isPair = words.length === 2 && words.filter(isPhotoName).length === 1
  const photo = isPair ? words.find(isPhotoName) : undefined
  const [name, second] = words.filter((word) => word !== photo)
  if (name === undefined || name === '') throw new UsageError('Name the video.')
  if (second !== undefined) {
    throw new UsageError(`Name one video only; "${printable(second)}" is a second one.`)
  }
  return {
    photo: photo && resolve(folder, photo),
    input: name === '-' ? undefined : resolve(folder, name),
  }
}

type Where = Readonly<Record<'input' | 'photo', string | undefined>> & { readonly folder: string }

type Kind = {
  readonly profile: OutputProfile
  readonly keepsHeic: boolean
  /** Whether the cover is the photo's own picture, as it is. */
  readonly isOwnHeic: boolean
}

/** @returns the path, the ending of a name that is chosen for it, and whether it is such a name. @throws UsageError */
export function outputOf(given: string | undefined, { input, photo, folder }: Where, kind: Kind) {
  const { profile, keepsHeic, isOwnHeic } = kind
  const ending = endingOf(profile, isOwnHeic && HEIC_NAME.test(photo ?? input ?? ''))
  if (given === '-') {
    throw new UsageError('--output - is not possible: standard output carries the name of the result.')
  }
  if (given !== undefined) {
    const output = resolve(folder, given)
    const pictures = keepsHeic ? [...JPEGS, '.heic', '.heif', '.hif'] : JPEGS
    // The input itself is refused for being that.
    if (output !== input) mustEndIn(output, isMotionPhotoProfile(profile) ? pictures : ZIPS[profile])
    return { output, ending, isNameChosen: false }
  }
  if (input === undefined) throw new UsageError('Name the output (-o FILE) when the video is standard input.')
  return { output: besideInput(input, ending), ending, isNameChosen: true }
}

function besideInput(input: string, ending: string): string {
  const { dir, name } = parse(input)
  const output = join(dir, withoutPhotoMark(name) + ending)
  // Of a motion photo that is called as its result would be.
  return output === input ? join(dir, `${withoutPhotoMark(name)}_new${ending}`) : output
}

const JPEGS = ['.jpg', '.jpeg'] as const
const ZIPS = { apple: ['.zip', '.pvt'], all: ['.zip'] } as const

/** @throws UsageError for a name that would lie. One without an ending does not */
export function mustEndIn(output: string, endings: readonly string[], command?: string): void {
  const ending = extname(output)
  if (ending === '' || endings.includes(ending.toLowerCase())) return
  const sentence = `--output must end in ${endings.join(' or ')} here, not in "${printable(ending)}".`
  throw new UsageError(sentence, command)
}

export const HEIC_NAME = /\.(?:hei[cf]|hif)$/i

/** What is added to the name of a video. */
function endingOf(profile: OutputProfile, isHeic: boolean): string {
  if (isMotionPhotoProfile(profile)) return isHeic ? '_MP.HEIC' : '_MP.jpg'
  return profile === 'apple' ? '_live.zip' : '_all.zip'
}
