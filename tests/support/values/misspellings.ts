/**
 * What a client may write in place of a field's name: another case or separator, and one or two mistakes where the name is long
 * enough for them.
 */
export function misspellings(name: string): readonly string[] {
  const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  const camel = name.replaceAll(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase())
  const middle = name.length >> 1
  const spellings = [
    name.toUpperCase(),
    `${name[0]?.toUpperCase()}${name.slice(1)}`,
    snake,
    camel,
    `${name}_`,
  ]
  const one = [
    without(name, middle),
    `${name}s`,
    `${name.slice(0, middle)}${name.slice(middle, middle + 1)}${name.slice(middle)}`,
    `${name.slice(0, middle)}${name[middle + 1]}${name[middle]}${name.slice(middle + 2)}`,
  ]
  const two = [without(without(name, name.length - 2), 1), `x${name}z`]
  const all = [...spellings, ...(name.length > 3 ? one : []), ...(name.length > 7 ? two : [])]
  return [...new Set(all)].filter((each) => each !== name)
}

function without(text: string, index: number): string {
  return text.slice(0, index) + text.slice(index + 1)
}

/** Each name with each of its misspellings, but for those that are a name of the list themselves, or nearer to another one. */
export function nearlyAll(names: readonly string[]): readonly (readonly [string, string])[] {
  return names.flatMap((name) =>
    misspellings(name)
      .filter((wrong) => !names.includes(wrong))
      .map((wrong) => [name, wrong] as const),
  )
}
