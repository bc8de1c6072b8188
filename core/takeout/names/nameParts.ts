import rules from '../rules.json'
import { folded } from './spelling'

/** What is a photo or a video by its name. `unnamed`: it has no ending, as clips of older Pixels. */
export type NameKind = 'picture' | 'video' | 'clip' | 'unnamed' | 'other'

export type NameParts = {
  readonly kind: NameKind
  /** Without the ending and the number of a copy. */
  readonly stem: string
  /** With its dot, as it is written; empty where there is none. */
  readonly ending: string
  /** Of a copy: 1 in `IMG(1).jpg`. */
  readonly number: number | undefined
}

const PICTURES: ReadonlySet<string> = new Set(rules.mediaEnding.pictures)
const VIDEOS: ReadonlySet<string> = new Set(rules.mediaEnding.videos)
const [CLIP = ''] = rules.clipEnding.values
const CLIP_ENDING = new RegExp(CLIP, 'i')
const [NUMBER = ''] = rules.copyNumber.values
const COPY_NUMBER = new RegExp(NUMBER)

/**
 * Takes the name of a file apart.
 * @param name without folders
 * @example partsOf('IMG_1(2).HEIC') // { kind: 'picture', stem: 'IMG_1', ending: '.HEIC', number: 2 }
 */
export function partsOf(name: string): NameParts {
  const { text: whole, number: last } = withoutNumber(name)
  const ending = endingOf(whole)
  const { text: stem, number } = withoutNumber(whole.slice(0, whole.length - ending.length))
  // The number of one without an ending is the last of its name.
  if (last !== undefined)
    return {
      kind: kindOf(ending, whole),
      stem: whole.slice(0, whole.length - ending.length),
      ending,
      number: last,
    }
  return { kind: kindOf(ending, whole), stem, ending, number }
}

/** A text without the number of a copy at its end. */
export function withoutNumber(text: string): { readonly text: string; readonly number: number | undefined } {
  const found = COPY_NUMBER.exec(text)
  return found ? { text: text.slice(0, found.index), number: Number(found[1]) } : { text, number: undefined }
}

function endingOf(name: string): string {
  const clip = CLIP_ENDING.exec(name)?.[0]
  if (clip !== undefined) return clip
  return /\.[^./\s()]{1,5}$/u.exec(name)?.[0] ?? ''
}

function kindOf(ending: string, name: string): NameKind {
  if (ending === '') return name === '' ? 'other' : 'unnamed'
  if (CLIP_ENDING.test(ending)) return 'clip'
  const plain = folded(ending.slice(1))
  if (PICTURES.has(plain)) return 'picture'
  return VIDEOS.has(plain) ? 'video' : 'other'
}

/**
 * The names under which a clip finds its photo: with an ending, and as its photo is called before that.
 * @example clipNames('PXL_1.MP') // ['PXL_1.MP.mp4', 'PXL_1.mp4']
 */
export function clipNames(name: string): readonly string[] {
  const { kind, stem, ending, number } = partsOf(name)
  const copy = number === undefined ? '' : `(${number})`
  if (kind === 'clip') return [`${stem}${ending}${copy}.mp4`, `${stem}${copy}.mp4`]
  return [kind === 'unnamed' ? `${name}.mp4` : name]
}

const SUFFIXES = rules.editedSuffix.values.map((suffix) => folded(suffix))
const [APPLE = ''] = rules.appleEdited.values
const APPLE_EDITED = new RegExp(APPLE, 'i')
/** A name that is about as long as names get may end within its suffix. */
const CUT_FROM = 46
const SHORTEST_CUT = 3

/**
 * The stem of the original of an edited photo.
 * @returns undefined where the name is not that of an edited photo
 * @example originalStem('IMG_1-bearbeitet') // 'IMG_1'
 */
export function originalStem(stem: string, ending = ''): string | undefined {
  const text = stem.normalize('NFC')
  const small = text.toLowerCase()
  const suffix = SUFFIXES.find((one) => small.endsWith(one) && small.length > one.length)
  if (suffix !== undefined) return text.slice(0, text.length - suffix.length)
  if (APPLE_EDITED.test(text)) return text.replace(APPLE_EDITED, (found) => found.slice(0, -1))
  if (text.length + ending.length < CUT_FROM) return undefined
  const dash = small.lastIndexOf('-')
  const rest = small.slice(dash)
  const isCut = dash > 0 && rest.length >= SHORTEST_CUT && SUFFIXES.some((one) => one.startsWith(rest))
  return isCut ? text.slice(0, dash) : undefined
}
