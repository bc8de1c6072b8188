import rules from '../rules.json'
import { partsOf, withoutNumber } from './nameParts'
import { folded } from './spelling'

/** For what a side-car may be, by its name. */
export type SideCarName = {
  /** What stands before the word: the name of its file, whole or cut, folded. */
  readonly of: string
  readonly number: number | undefined
  /** Whether it is so long that it may have been cut inside the name of its file. */
  readonly mayBeCut: boolean
}

const WORDS = rules.sideCarWord.values
const [LONGEST = 46] = rules.sideCarLength.values
/** Half a letter outside the basic plane is not left. */
const SPARE = 1

/**
 * What the name of a side-car says: in most cases one thing; more where its end may be a cut word, or belong to the photo.
 * @param name without folders
 * @returns nothing of one that does not end in `.json`
 */
export function readSideCarName(name: string): readonly SideCarName[] {
  if (!/\.json$/i.test(name)) return []
  const { text, number } = withoutNumber(name.slice(0, -'.json'.length))
  const whole = folded(text)
  const mayBeCut = text.length >= LONGEST - SPARE
  const dot = whole.lastIndexOf('.')
  const tail = whole.slice(dot + 1)
  const isWord = dot > 0 && WORDS.some((word) => word.startsWith(tail))
  const plain = { of: whole, number, mayBeCut }
  if (!isWord) return [plain, ...innerNumber(plain)]
  const worded = { of: whole.slice(0, dot), number, mayBeCut }
  return [worded, ...innerNumber(worded), plain]
}

/** The number of a copy may stand where its file has it. */
function innerNumber({ of, number, mayBeCut }: SideCarName): readonly SideCarName[] {
  const parts = partsOf(of)
  if (number !== undefined || parts.number === undefined || parts.ending === '') return []
  return [{ of: parts.stem + parts.ending, number: parts.number, mayBeCut }]
}
