import { isReadPicture, isReadSound } from './decoders'
import { untrustedInput } from './ffmpegInput'

/** A stream of an upload, as ffmpeg lists it. */
type InputStream = ReturnType<typeof inputStreams>[number]

/** The streams of one kind, covers aside. @param inputs what ffmpeg says of its inputs */
export function inputStreams(inputs: string, kind: 'Video' | 'Audio') {
  const lines = inputs.matchAll(/^ {2}Stream #0:(\d+)(?:\[0x([0-9a-f]+)\])?.*?: (Video|Audio): (.*)$/gm)
  return (
    [...lines]
      .map(([, index, id, found, words = '']) => ({ index: Number(index), id, found, words }))
      .filter(({ found, words }) => found === kind && !/\((?:attached pic|timed thumbnails)\)/.test(words))
      // Listed by programs, they may be in another order.
      .sort((one, other) => one.index - other.index)
      .map(({ id, words }, stream) => ({
        /** Among those of its kind, from 0 and without covers: ffmpeg's `V:0` and `a:0`. */
        stream,
        /** As the container numbers it. Undefined where it has no numbers, or ffmpeg (before 5) does not tell. */
        id: id === undefined ? undefined : Number.parseInt(id, 16),
        /** Switched on in an MP4 or MOV; in Matroska, what players choose unless told otherwise. */
        isDefault: words.includes('(default)'),
        /** ffmpeg's, from the codec on. */
        words,
      }))
  )
}

/** The sound that is heard: the first that can be decoded, of those that are switched on where there are any. */
export function chooseSound(inputs: string): InputStream | undefined {
  const read = inputStreams(inputs, 'Audio').filter(({ words }) => isReadSound(codecOf(words)))
  return preferred(read, ({ isDefault }) => isDefault)[0]
}

/** The pictures that may be meant: those that can be decoded, where there are any. */
export function pictureCandidates(inputs: string): InputStream[] {
  return preferred(inputStreams(inputs, 'Video'), ({ words }) => isReadPicture(codecOf(words)))
}

/** A track of single pictures at longer intervals is no video. */
const LISTED_SECONDS = 30

/** Arguments that list the first packets of each stream, without decoding any.  */
export function packetArgs(path: string, candidates: readonly InputStream[]): string[] {
  const maps = candidates.flatMap(({ stream }) => ['-map', `0:V:${stream}`])
  const input = untrustedInput(path, { maxSeconds: LISTED_SECONDS })
  return [...input, ...maps, '-c', 'copy', '-f', 'framecrc', 'pipe:1']
}

/** How many packets each of the streams has. @param listing what ffmpeg lists for `packetArgs` */
export function packetCounts(candidates: readonly InputStream[], listing: string): number[] {
  const outputs = [...listing.matchAll(/^(\d+),/gm)].map(([, output]) => Number(output))
  return candidates.map((_, index) => outputs.filter((output) => output === index).length)
}

/**
 * Which pictures are shown: of those that have more than one, and of these that are switched on, the largest.
 * @param counts how many pictures each of them has
 */
export function choosePictures(
  candidates: readonly InputStream[],
  counts: readonly number[],
): InputStream | undefined {
  const moving = preferred(candidates, (candidate) => (counts[candidates.indexOf(candidate)] ?? 0) > 1)
  const shown = preferred(moving, ({ isDefault }) => isDefault)
  return shown.toSorted((one, other) => pixelsOf(other) - pixelsOf(one))[0]
}

/** Those for which something holds, or all where it holds for none. */
function preferred<Item>(items: readonly Item[], holds: (item: Item) => boolean): Item[] {
  return items.some(holds) ? items.filter(holds) : [...items]
}

function codecOf(words: string): string {
  return /^\w*/.exec(words)?.[0] ?? ''
}

function pixelsOf({ words }: InputStream): number {
  const [, width = 0, height = 0] = /, (\d{1,6})x(\d{1,6})\b/.exec(words) ?? []
  return Number(width) * Number(height)
}
