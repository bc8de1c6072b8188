import rules from '../rules.json'

/**
 * Names that differ in case or in the form of their accents only are one, as on file systems that tell the least apart.
 * @example folded('IMG_1.JPG') // 'img_1.jpg'
 */
export function folded(name: string): string {
  return name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC')
}

const [REPLACED = ''] = rules.replacedLetters.values
const REPLACED_LETTERS = new RegExp(REPLACED, 'gu')

/** A name as it is compared where letters may have been replaced: those are `_`, and several of them are one. */
export function loosened(name: string): string {
  return folded(name).replace(REPLACED_LETTERS, '_').replaceAll(/_+/g, '_')
}

/** The spellings of a title in names of files: with its HTML entities as they are, and with what they stand for. */
export function spellingsOf(title: string): readonly string[] {
  return [...new Set([loosened(title), loosened(withoutEntities(title))])]
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }
const MAX_CODE_POINT = 0x10ffff

/**
 * A text in which HTML entities are what they stand for.
 * @example withoutEntities('Tom &amp; Ada&#39;s') // "Tom & Ada's"
 */
export function withoutEntities(text: string): string {
  return text.replaceAll(
    /&(?:#(x[\da-f]{1,6}|\d{1,7})|(\w{2,4}));/gi,
    (whole, code?: string, name?: string) => {
      if (code === undefined) return ENTITIES[name?.toLowerCase() ?? ''] ?? whole
      const point = Number(`${/^x/i.test(code) ? '0' : ''}${code}`)
      return point > 0 && point <= MAX_CODE_POINT ? String.fromCodePoint(point) : whole
    },
  )
}
