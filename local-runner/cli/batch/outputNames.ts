import { basename, dirname, extname, join, parse } from 'node:path'
import { withoutPhotoMark } from '@lantern-room/media/files'

/** The names that a photo of one source may have, in one folder. */
export type NameFamily = {
  readonly folder: string
  /** Two families of one key have the same names. */
  readonly key: string
  /** Whether the pattern has a number, and names are therefore never those of one source only. */
  readonly hasNumber: boolean
  /** The number in a name of such a family. */
  readonly numberOf: (folded: string) => number | undefined
  /** Whether a file of this name, which `foldedName` has folded, is one of the family. */
  readonly includes: (folded: string) => boolean
  /** The names in the order in which they are tried, without an end; with a number from this one on. */
  candidates(firstNumber: number): Generator<Candidate, never>
}

/** `isLonger`: with the ending of the source, for two files of one name in one folder. */
export type Candidate = { readonly path: string; readonly isLonger: boolean }

/**
 * Names as file systems compare them that tell the least apart: without regard to case, and to how accents are written. Where a file system
 * does tell them apart, a name has a number that it would not need (docs/decisions.md, D175).
 */
export function foldedName(path: string): string {
  return path.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC')
}

const NUMBER = '{n}'
const DIGITS = 4

/**
 * The names by a pattern such as `{date}_{name}`.
 * @param source.path of the photo, else of the video
 * @param source.date as `{date}` is written
 * @param ending behind the pattern, such as `_MP.jpg`
 */
export function namesOf(
  pattern: string,
  source: { readonly path: string; readonly date: string },
  { folder, ending }: { readonly folder: string; readonly ending: string },
): NameFamily {
  const { name, ext } = parse(source.path)
  const stem = withoutPhotoMark(name)
  const longer = `${stem}_${ext.slice(1)}`
  const hasNumber = pattern.includes(NUMBER)
  const filled = (own: string, n: string) =>
    pattern.replaceAll(/\{(\w+)\}/g, (_, key: string) => ({ name: own, date: source.date, n })[key] ?? '')
  const written = (text: string) => escaped(foldedName(text))
  const texts = [...new Set([stem, longer])].map((own) =>
    filled(own, '\0').split('\0').map(written).join(`(\\d{${DIGITS},})`),
  )
  const shape = new RegExp(`^(?:${texts.join('|')})(?:-\\d+)?${written(ending)}$`, 'u')

  return {
    folder,
    key: `${folder}\0${shape.source}`,
    hasNumber,
    includes: (folded) => shape.test(folded),
    numberOf: (folded) => {
      const digits = shape.exec(folded)?.slice(1).find(Boolean)
      return digits === undefined ? undefined : Number(digits)
    },
    *candidates(firstNumber) {
      const at = (own: string, n: string, more = ''): Candidate => ({
        path: join(folder, `${filled(own, n)}${more}${ending}`),
        isLonger: own === longer && own !== stem,
      })
      for (let n = firstNumber; hasNumber; n++) yield at(stem, String(n).padStart(DIGITS, '0'))
      yield at(stem, '')
      if (filled(longer, '') !== filled(stem, '') && ext !== '') yield at(longer, '')
      for (let n = 2; ; n++) yield at(stem, '', `-${n}`)
    },
  }
}

/** The names of a file that has to have this one: itself, then those with a number before the ending. */
export function namesLike(path: string): NameFamily {
  const [folder, ext] = [dirname(path), extname(path)]
  const stem = basename(path, ext)
  const shape = new RegExp(`^${escaped(foldedName(stem))}(?:-\\d+)?${escaped(foldedName(ext))}$`, 'u')
  return {
    folder,
    key: `${folder}\0${shape.source}`,
    hasNumber: false,
    includes: (folded) => shape.test(folded),
    numberOf: () => undefined,
    *candidates() {
      yield { path, isLonger: false }
      for (let n = 2; ; n++) yield { path: join(folder, `${stem}-${n}${ext}`), isLonger: false }
    },
  }
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
