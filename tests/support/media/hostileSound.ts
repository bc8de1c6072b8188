import { readMovie } from '@lantern-room/mp4'
import { mdhd, samplesAt, tableBox, withIndexBoxes } from './indexBoxes'

const LAST = 0xffffffff

/**
 * The same MP4 with absurd numbers in the index of its sound: whoever counts silence by them, or copies all samples that they name,
 * needs gigabytes and minutes.
 * @param mp4 with pictures and sound
 * @returns by what they have
 */
export function withAbsurdSound(mp4: Uint8Array): ReadonlyMap<string, Uint8Array> {
  const sound = readMovie(mp4).movie?.tracks.find(({ kind }) => kind === 'audio')
  if (!sound) throw new Error('There is no sound.')
  const { count, sizes } = sound.samples
  const all = [count, sizes.reduce((most, size) => Math.max(most, size), 0)] as const
  // A place with bytes for many.
  const most = Math.floor(mp4.length / 2)
  const changes: Readonly<Record<string, Readonly<Record<string, Uint8Array>>>> = {
    'a clock of 2^32 - 1': { mdhd: mdhd(LAST, 0) },
    'a clock of 2^31': { mdhd: mdhd(2 ** 31, 0) },
    'a clock of 90,000': { mdhd: mdhd(90_000, 0) },
    'a clock of 1': { mdhd: mdhd(1, 0) },
    'a clock of 0': { mdhd: mdhd(0, 0) },
    'a clock of 2^32 - 1, and no samples': {
      mdhd: mdhd(LAST, 0),
      ...samplesAt(60, 0, 0),
      stco: tableBox('stco'),
      stsc: tableBox('stsc'),
    },
    'ten thousand samples at one place': samplesAt(60, 10_000, most),
    'a hundred thousand samples at one place': samplesAt(60, 100_000, most),
    'a hundred thousand samples at once': samplesAt(60, 100_000, 1, 0),
    'samples beyond the end': samplesAt(mp4.length + 1_000_000, ...all),
    'samples of 2^31 ticks': { stts: tableBox('stts', [count, 2 ** 31]) },
    'samples of 2^32 - 1 ticks': { stts: tableBox('stts', [count, LAST]) },
    'a beginning after 2^32 - 1 ticks': {
      elst: tableBox('elst', [LAST, LAST, 0x10000], [4000, 0, 0x10000]),
    },
    'a beginning inside that is not there': { elst: tableBox('elst', [4000, 0x7fffffff, 0x10000]) },
  }
  return new Map(
    Object.entries(changes).map(([name, changed]) => [name, withIndexBoxes(mp4, 'soun', changed)]),
  )
}
