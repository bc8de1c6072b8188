/** A name of XML, with the namespace that its prefix stands for. */
type XmlName = {
  /** As it is written, with its prefix. */
  readonly name: string
  /** Undefined: in no namespace, or its prefix is not declared. */
  readonly space: string | undefined
  readonly local: string
}

/** Positions are those in the text; the space before an attribute belongs to it. */
export type XmlAttribute = XmlName & { readonly value: string; readonly start: number; readonly end: number }

export type XmlElement = XmlName & {
  readonly attributes: readonly XmlAttribute[]
  /** Number of elements around it. */
  readonly depth: number
  /** Where its start tag begins, its content begins and ends, and its end tag ends. */
  readonly start: number
  readonly contentStart: number
  readonly contentEnd: number
  readonly end: number
}

/** More than any phone or editor writes; hostile text has no more than these. */
const MAX_ELEMENTS = 20_000
const MAX_DEPTH = 64
const MAX_PREFIXES = 128
const MAX_TEXT = 4096

type Prefixes = ReadonlyMap<string, string>
type OpenElement = XmlElement & { contentEnd: number; end: number; readonly prefixes: Prefixes }

const TAG_NAME = /<(\/?)([^\s<>/=!?"']{1,128})/y
const ATTRIBUTE = /\s+([^\s<>/="']{1,128})\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y
const TAG_END = /[^<>]*>?/y

/**
 * Lists the elements of an XML text in the order of their start tags. Broken text is read as far as it goes: an element
 * without an end tag ends with the one around it, a tag without an end at the next sign of one. Each character is looked at a
 * few times only, whatever the text.
 * @param usual prefixes that count as declared
 * @see Extensible Markup Language (XML) 1.0; Namespaces in XML 1.0
 */
export function readXmlElements(text: string, usual: Prefixes): XmlElement[] {
  const elements: XmlElement[] = []
  const open: OpenElement[] = []
  let at = text.indexOf('<')
  while (at >= 0 && elements.length < MAX_ELEMENTS) {
    const [head = '', slash, name = ''] = matchAt(TAG_NAME, text, at)
    if (head === '') at = otherEnd(text, at)
    else if (slash) {
      const [rest = ''] = matchAt(TAG_END, text, at + head.length)
      closeElements(open, name, { contentEnd: at, end: at + head.length + rest.length })
      at += head.length
    } else {
      const element = startElement(text, { at, name, attributesAt: at + head.length }, open, usual)
      elements.push(element)
      at = element.contentStart
    }
    at = text.indexOf('<', at)
  }
  return elements
}

/** The text of an element that has nothing but some text; undefined of another. */
export function textOfElement(text: string, { contentStart, contentEnd }: XmlElement): string | undefined {
  if (contentEnd - contentStart > MAX_TEXT) return undefined
  const plain = text
    .slice(contentStart, contentEnd)
    .replaceAll(/<!--[^<]*-->/g, '')
    .replaceAll(/<!\[CDATA\[([^<&\]]*)\]\]>/g, '$1')
  return plain.includes('<') ? undefined : decodeEntities(plain)
}

/** Where a comment, instruction or the like ends that begins at `at`: it holds no element. */
function otherEnd(text: string, at: number): number {
  const [, end] = OTHERS.find(([begin]) => text.startsWith(begin, at)) ?? []
  const found = end === undefined ? at : text.indexOf(end, at + 2)
  return found < 0 ? text.length : found + 1
}

const OTHERS = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
] as const

/** Ends the innermost element of this name, and those that are open in it. */
function closeElements(
  open: OpenElement[],
  name: string,
  { contentEnd, end }: Pick<XmlElement, 'contentEnd' | 'end'>,
): void {
  const index = open.findLastIndex((element) => element.name === name)
  for (const element of index < 0 ? [] : open.splice(index)) {
    element.contentEnd = contentEnd
    element.end = element.name === name ? end : contentEnd
  }
}

/** Reads a start tag. The element is open unless its tag ends it. */
function startElement(
  text: string,
  {
    at: start,
    name,
    attributesAt,
  }: { readonly at: number; readonly name: string; readonly attributesAt: number },
  open: OpenElement[],
  usual: Prefixes,
): OpenElement {
  const written: Omit<XmlAttribute, 'space' | 'local'>[] = []
  let at = attributesAt
  for (let found = matchAt(ATTRIBUTE, text, at); found.length > 0; found = matchAt(ATTRIBUTE, text, at)) {
    const [whole = '', key = '', double, single] = found
    const value = decodeEntities(double ?? single ?? '')
    written.push({ name: key, value, start: at, end: at + whole.length })
    at += whole.length
  }
  const [rest = ''] = matchAt(TAG_END, text, at)
  const contentStart = at + rest.length
  const end = rest.endsWith('/>') ? contentStart : text.length
  const around = open.at(-1)?.prefixes ?? usual
  const declared = written.flatMap(({ name: key, value }) =>
    key === 'xmlns' || key.startsWith('xmlns:') ? [[key.slice('xmlns:'.length), value] as const] : [],
  )
  const isRoom = declared.length > 0 && around.size + declared.length <= MAX_PREFIXES
  const prefixes = isRoom ? new Map([...around, ...declared]) : around
  // Objects that are spread into take ten times the time and memory of these: a hostile packet has thousands.
  const { space, local } = resolve(name, prefixes, prefixes.get(''))
  const element = {
    name,
    space,
    local,
    attributes: written.map(({ name: key, value, start: from, end: to }) => {
      const found = resolve(key, prefixes, undefined)
      return { name: key, space: found.space, local: found.local, value, start: from, end: to }
    }),
    depth: open.length,
    start,
    contentStart,
    contentEnd: end,
    end,
    prefixes,
  }
  if (end > contentStart && open.length < MAX_DEPTH) open.push(element)
  return element
}

/** The match of a sticky pattern and its groups; none where it does not match. */
function matchAt(pattern: RegExp, text: string, at: number): readonly (string | undefined)[] {
  pattern.lastIndex = at
  return pattern.exec(text) ?? []
}

/** @param bare the namespace of a name without a prefix */
function resolve(name: string, prefixes: Prefixes, bare: string | undefined): Omit<XmlName, 'name'> {
  const colon = name.indexOf(':')
  return colon < 0
    ? { space: bare, local: name }
    : { space: prefixes.get(name.slice(0, colon)), local: name.slice(colon + 1) }
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

function decodeEntities(text: string): string {
  return text.replaceAll(/&(#x[\da-f]{1,5}|#\d{1,6}|\w{2,4});/gi, (whole, code: string) =>
    code.startsWith('#') ? String.fromCodePoint(Number(`0${code.slice(1)}`)) : (ENTITIES[code] ?? whole),
  )
}
