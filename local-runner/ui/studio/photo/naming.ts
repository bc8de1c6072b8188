import type { Choice } from './makePhoto'

/** What of a choice differs from what is usual, as a part of a file's name. */
function differencesOf({
  profile,
  crop,
  shape,
  rotate,
  speed,
  repeat,
  cover,
  isOriginal,
}: Choice): readonly string[] {
  return [
    profile === 'universal' || profile === 'all' || profile === 'apple' ? '' : profile,
    crop ? shapeOf(shape, crop) : '',
    rotate === '0' ? '' : `${rotate}deg`,
    speed === 1 ? '' : `${speed}x`,
    repeat > 1 ? `${repeat}times` : '',
    cover === 'file' ? 'cover' : '',
    isOriginal ? '' : '720p',
  ].filter(Boolean)
}

function shapeOf(shape: string, { width, height }: NonNullable<Choice['crop']>): string {
  return shape.includes(':') ? shape.replace(':', 'x') : `${width}x${height}`
}

/**
 * The name of a photo with what it differs in from others of its video: `VID_1_1x1_MP.jpg`.
 * @param hasSound whether its video has sound, so that a photo without it is another one
 * @param taken names of photos that there are already; the same one gets a number
 */
export function nameWith(
  name: string,
  choice: Choice,
  hasSound: boolean,
  taken: ReadonlySet<string>,
): string {
  const silent = hasSound && !choice.keepsSound ? ['silent'] : []
  const [, stem = name, ending = ''] = /^(.*?)((?:_MP|_live|_all)?\.\w+)$/.exec(name) ?? []
  const whole = [stem, ...differencesOf(choice), ...silent].join('_')
  let unique = `${whole}${ending}`
  for (let number = 2; taken.has(unique.toLowerCase()); number += 1) unique = `${whole}-${number}${ending}`
  return unique
}

/** `a_MP.jpg` with a number: `a-2_MP.jpg`, which galleries recognise, too. */
export function numbered(name: string, number: number): string {
  return name.replace(/(?=(_MP)?\.\w+$)/, `-${number}`)
}
