import { encodePicture, type Picture } from './picture'
import { sharesOf } from './shares'

/** What the service encodes at constant quality, and how far its encoder looks ahead: first a preview, and of that the clip. */
const PREVIEW = { quality: 22, ahead: 5 }
const CLIP = { quality: 17, ahead: 10 }
/** Pictures from one key frame to the next. */
const GROUP = 14
/** From a quality to the quantizer of what nothing is predicted from. */
const OF_QUALITY = 5.4 - 1.3
/** Key frames are coded finer. */
const OF_KEY = 2.9

/** Pictures that follow each other, from which is told how many bits the pictures of a clip take. */
export const TRIED = 4

/**
 * About how many bits each picture of a clip takes.
 * @param isTwice whether the clip is encoded of the preview, whose pictures it has otherwise
 */
export function bitsOfPictures(pictures: readonly Picture[], isTwice: boolean): number {
  const preview = encodeAll(pictures, PREVIEW, (at) => at - (at % 2 === 0 ? 2 : 1))
  const again = () =>
    encodeAll(
      preview.map(({ picture }) => picture),
      CLIP,
      (at) => at - 1,
    )
  // The first one after a key frame is not like those that follow.
  const [key = 0, , ...usual] = (isTwice ? again() : preview).map(({ bits }) => bits)
  const predicted = usual.reduce((sum, bits) => sum + bits, 0) / usual.length
  return (key + (GROUP - 1) * predicted * OF_PREDICTED) / GROUP
}

/** Of what is counted here, as encodings of ten videos have shown. */
const OF_PREDICTED = 1.35

function encodeAll(
  pictures: readonly Picture[],
  { quality, ahead }: typeof PREVIEW,
  beforeOf: (at: number) => number,
) {
  const [first, second] = pictures
  const shares = first && second ? sharesOf(second[0], first[0]) : new Float32Array()
  const coded: ReturnType<typeof encodePicture>[] = []
  for (const [at, picture] of pictures.entries()) {
    const before = at === 0 ? undefined : coded[beforeOf(at)]?.picture
    const isKey = before === undefined
    coded.push(
      encodePicture(picture, before, {
        quantizer: quality + OF_QUALITY - (isKey ? OF_KEY : 0),
        followers: Math.round(isKey ? ahead : meanFollowers(ahead)),
        shares,
      }),
    )
  }
  return coded
}

/** Of a picture amid a group: none after its end is predicted from it. */
function meanFollowers(ahead: number): number {
  const followers = Array.from({ length: GROUP }, (_, at) => Math.min(ahead, GROUP - 1 - at))
  return followers.reduce((sum, count) => sum + count, 0) / GROUP
}
