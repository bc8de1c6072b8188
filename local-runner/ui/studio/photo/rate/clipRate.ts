import type { Motion } from './motion'
import { type Coded, encodePicture } from './picture'
import type { Picture, Plane } from './plane'
import { foresee } from './shares'

/** What the service encodes at constant quality, and how far its encoder looks ahead: first a preview, and of that the clip. */
const PREVIEW = { quality: 22, ahead: 5, seconds: 2 / 30 }
const CLIP = { quality: 17, ahead: 10, seconds: 1 / 30 }
/** Pictures from one key frame to the next. */
const GROUP = 14
/** From a quality to the quantizer of what nothing is predicted from: for `mbtree`, and for pictures that last 40 ms. */
const OF_QUALITY = 0.4 * 13.5
const USUAL_SECONDS = 0.04
const OF_DOUBLED_TIME = 0.4 * 6
/** Key frames are coded finer: by `ip_factor`. */
const OF_KEY = 6 * Math.log2(1.4)
/** x264's `aq-strength=0.3`: flat blocks are coded finer. */
const FLAT_STRENGTH = 0.3 * 1.0397
const USUAL_ENERGY = 14.427
/** x264's `mbtree`, with `qcomp=0.6`: blocks from which others are predicted are coded finer. */
const TREE_STRENGTH = 2

/** Pictures that follow each other, from which is told how many bits those of a clip take. */
export const TRIED = 4

/** What pictures a clip has. */
export type ClipPictures = {
  /** Whether those that are tried are the preview's already. */
  readonly isOfPreview?: boolean
  /** Whether it is encoded of the preview, whose pictures it has otherwise. */
  readonly isTwice: boolean
  /** Pictures of the preview from one of the clip to the next. */
  readonly stride: number
  readonly count: number
  /** Of those, pictures that are the same as the one before. */
  readonly repeated: number
}

/** Bits of a macroblock, on average, and how many pictures look unlike the one before. */
type Costs = { readonly key: number; readonly predicted: number; readonly cuts: number }

/** What each kind of picture of a clip costs. @param pictures of the video, which follow each other */
export function costsOf(pictures: readonly Picture[], { isTwice, isOfPreview, stride }: ClipPictures): Costs {
  const preview = isOfPreview
    ? pictures.map((picture) => ({ picture, bits: 0, intra: 0 }))
    : encodePreview(pictures)
  // Of a preview that is copied, those from which others are predicted; else perhaps those between.
  const chosen = preview.filter((_, at) => at % stride === (isTwice ? 1 % stride : 0))
  const coded = isTwice ? encodeClip(chosen.map(({ picture }) => picture)) : chosen
  const blocks = (pictures[0]?.[0].data.length ?? 256) / 256
  // The first one after a key frame is not like those that follow.
  const [key, next, ...usual] = coded
  const { predicted, cuts } = withoutCuts(usual.length > 0 ? usual : next ? [next] : [], blocks)
  return { key: (key?.bits ?? 0) / blocks, predicted: predicted / blocks, cuts }
}

/** A cut costs many times what pictures usually do, and is seldom. */
const OF_CUT = 3

function withoutCuts(coded: readonly Coded[], blocks: number) {
  const all = coded.map(({ bits }) => bits).sort((a, b) => a - b)
  const most = OF_CUT * (all[(all.length - 1) >> 1] ?? 0)
  const kept = coded.filter(({ bits, intra }) => bits <= most || intra < blocks / 2)
  const sum = kept.reduce((bits, one) => bits + one.bits, 0)
  return { predicted: sum / Math.max(1, kept.length), cuts: coded.length - kept.length }
}

/** About how many bits a clip takes for each macroblock of a picture. */
export function bitsOfClip(
  all: readonly Costs[],
  { isTwice, stride, count, repeated }: ClipPictures,
): number {
  const mean = (of: keyof Costs) => all.reduce((sum, costs) => sum + costs[of], 0) / all.length
  // One that is copied begins somewhere in a group, and has a key frame there, too.
  const keys = isTwice ? Math.ceil(count / GROUP) : (count * stride) / GROUP + 1 - 1 / GROUP
  const cuts = all.reduce((sum, costs) => sum + costs.cuts, 0)
  return (keys + cuts) * mean('key') + Math.max(0, count - keys - cuts - repeated) * mean('predicted')
}

export function encodePreview(pictures: readonly Picture[]): Coded[] {
  return encodeAll(pictures, PREVIEW, (at) => at - (at % 2 === 0 ? 2 : 1))
}

export function encodeClip(pictures: readonly Picture[]): Coded[] {
  return encodeAll(pictures, CLIP, (at) => at - 1)
}

function encodeAll(
  pictures: readonly Picture[],
  { quality, ahead, seconds }: typeof PREVIEW,
  beforeOf: (at: number) => number,
): Coded[] {
  const seen = pictures.map(([luma], at) => {
    const before = pictures[at - 1]
    return before && foresee(luma, before[0])
  })
  const usual = quality + OF_QUALITY - OF_DOUBLED_TIME * Math.log2(seconds / USUAL_SECONDS)
  const coded: Coded[] = []
  for (const [at, picture] of pictures.entries()) {
    const from = beforeOf(at)
    const shares = (seen[at + 1] ?? seen[at])?.shares ?? new Float32Array()
    const quantizer = usual - (at === 0 ? OF_KEY : 0)
    const guesses: readonly Motion[] | undefined = from === at - 1 ? seen[at]?.motions : undefined
    coded.push(
      encodePicture(picture, coded[from]?.picture, {
        quantizers: quantizersOf(picture, quantizer, shares, ahead),
        guesses,
      }),
    )
  }
  return coded
}

/** @param shares how well each macroblock is predicted from one picture to the next. @param ahead pictures that are foreseen */
function quantizersOf(
  picture: Picture,
  quantizer: number,
  shares: Float32Array,
  ahead: number,
): Float32Array {
  const across = picture[0].width / 16
  return Float32Array.from(shares, (share, block) => {
    const [x, y] = [(block % across) * 16, Math.floor(block / across) * 16]
    const energy =
      energyOf(picture[0], x, y, 16) +
      energyOf(picture[1], x / 2, y / 2, 8) +
      energyOf(picture[2], x / 2, y / 2, 8)
    const flat = FLAT_STRENGTH * (Math.log2(Math.max(1, energy)) - USUAL_ENERGY)
    let [worth, passed] = [0, share]
    for (let one = 0; one < ahead; one += 1) {
      worth += passed
      passed *= share
    }
    return quantizer + flat - TREE_STRENGTH * Math.log2(1 + worth)
  })
}

/** How much the samples of a square differ from their mean, squared. */
function energyOf({ data, width }: Plane, x: number, y: number, side: number): number {
  let [sum, squares] = [0, 0]
  for (let row = y; row < y + side; row += 1) {
    for (let column = x; column < x + side; column += 1) {
      const value = data[row * width + column] ?? 0
      sum += value
      squares += value * value
    }
  }
  return squares - (sum * sum) / (side * side)
}
