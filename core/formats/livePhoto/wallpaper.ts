import { asciiBytes, concatBytes, viewOf } from '@lantern-room/base/bytes'
import { encodeBox, uint32s } from '@lantern-room/mp4/boxes'
import type { Wallpaper } from './livePhoto'
import type { MetadataValue } from './metadataItems'
import { dataType } from './metadataTrack'
import { type Mark, stillMark } from './stillTimeTrack'

/**
 * What the video of a Live Photo has that iOS 17 and later plays on the lock screen. Apple describes none of it: forms are those of
 * an iPhone 15's video, and what a camera measures is that of a video that is reported to work as a wallpaper.
 * @see docs/motion-photo.md, "Wallpaper"
 */

const NAME = 'com.apple.quicktime.live-photo'

/** Well-known types of values. */
const [MATRIX, DIMENSIONS, SIGNED, UNSIGNED, FLOAT32] = [83, 71, 21, 22, 23]

/** The scores of a photo that moves as much as it can; the phone's was 0.94. */
const METADATA: readonly (readonly [string, MetadataValue])[] = [
  [`${NAME}.auto`, [UNSIGNED, Uint8Array.of(1)]],
  [`${NAME}.vitality-score`, [FLOAT32, numbers('Float32', [1])]],
  [`${NAME}.vitality-scoring-version`, [SIGNED, uint32s(0, 4)]],
]

/**
 * What makes the video of a Live Photo move on a lock screen, for `assembleLivePhoto`.
 * @param stillUs microseconds from the clip's start
 * @param times when each picture of the clip is shown: seconds from its start
 * @example
 * const wallpaper = wallpaperOf(1_000_000, clip.times)
 */
export function wallpaperOf(stillUs: number, times: readonly number[]): Wallpaper {
  return { marks: [infoMark(times), transformMark(stillUs)], metadata: METADATA }
}

/** The mark of the still, which says that it shows what the video shows: no transform, and pixels of the video. */
function transformMark(stillUs: number): Mark {
  return (movie) => {
    const { keys, values, ...place } = stillMark(stillUs)(movie)
    const video = movie.tracks.find(({ kind }) => kind === 'video')
    const size = [video?.width ?? 0, video?.height ?? 0]
    const transform = `${NAME}-still-image-transform`
    return {
      ...place,
      keys: [
        ...keys,
        [transform, dataType(MATRIX)],
        [`${transform}-reference-dimensions`, dataType(DIMENSIONS)],
      ],
      values: [...values, numbers('Float64', [1, 0, 0, 0, 1, 0, 0, 0, 1]), numbers('Float32', size)],
    }
  }
}

/** What the camera knew of each picture. A clip has no camera: each is as if none had moved since the one before. */
function infoMark(times: readonly number[]): Mark {
  return ({ timescale, durationSeconds }) => {
    const ticks = [...times, durationSeconds].map((seconds) => Math.round(seconds * timescale))
    return {
      keys: [[`${NAME}-info`, INFO_DESCRIPTION]],
      values: [infoRecord()],
      start: ticks[0] ?? 0,
      durations: ticks.slice(1).map((end, index) => Math.max(1, end - (ticks[index] ?? 0))),
      references: ['cdep'],
    }
  }
}

/** A property list of versions: iPhone OS 17.0 (21A5277h), CoreMotion 2868.0.2, CMCaptureCore 446.5.3, CoreMedia 3045.69.2.11.4. */
const VERSIONS =
  'YnBsaXN0MDDTAQIDBAUMXxAhTGl2ZVBob3RvTWV0YWRhdGFTZXR1cERhdGFWZXJzaW9uXVN5c3RlbVZlcnNpb25fEBFGcmFtZXdvcmtWZXJz' +
  'aW9ucxAB0wYHCAkKC18QE1Byb2R1Y3RCdWlsZFZlcnNpb25bUHJvZHVjdE5hbWVeUHJvZHVjdFZlcnNpb25YMjFBNTI3N2hZaVBob25lIE9T' +
  'VDE3LjDUDQ4PEBESExRaQ29yZU1vdGlvbl1DTUNhcHR1cmVDb3JlXkgxMElTUFNlcnZpY2VzWUNvcmVNZWRpYVgyODY4LjAuMlc0NDYuNS4z' +
  'VDIwLjJeMzA0NS42OS4yLjExLjQACAAPADMAQQBVAFcAXgB0AIAAjwCYAKIApwCwALsAyQDYAOIA6wDzAPgAAAAAAAACAQAAAAAAAAAVAAAA' +
  'AAAAAAAAAAAAAAABBw=='

/** Its type, by a name that Apple has prefixed twice; what it depends on; versions, and the pixels that its numbers count. */
const INFO_DESCRIPTION = concatBytes([
  encodeBox('dtyp', uint32s(1), asciiBytes(`com.apple.quicktime.${NAME}-info`)),
  encodeBox('sdpd', encodeBox('sdpi', uint32s(0))),
  encodeBox(
    'setu',
    encodeBox(
      'cfgv',
      Uint8Array.from(atob(VERSIONS), (byte) => byte.charCodeAt(0)),
    ),
    encodeBox('dims', uint32s(1920, 1440)),
  ),
  encodeBox('ctps', dataType(0)),
])

const RECORD_BYTES = 136

/** Where numbers of a record are, little-endian, of 32 bits: exposure; motion of the middle, blur, zoom, gain; a homography. */
const MEASURED: readonly (readonly [at: number, values: readonly number[]])[] = [
  [4, [0.014512]],
  [16, [86.75094, 14.261072, 0.3965457, -0.08150958, 1.929, 4]],
  [68, [0.26439148, -0.8220047, -936.6579]],
  [80, [-0.88465613, 0.10259716, -284.49896]],
  [92, [0.00016780598, 0.00018781683, -1.2280577]],
]

/** @see docs/motion-photo.md, "Wallpaper": the record */
function infoRecord(): Uint8Array {
  const record = new Uint8Array(RECORD_BYTES)
  const view = viewOf(record)
  view.setUint32(0, 3, true) // version
  for (const [at, values] of MEASURED) record.set(numbers('Float32', values, true), at)
  view.setBigInt64(8, 551_599_977_955n, true) // of the focus
  view.setUint16(40, 4, true)
  view.setUint16(42, 0xff, true) // which of the numbers before are given
  view.setUint32(64, 7, true) // and after: homography, both times
  view.setBigInt64(104, 7_816_537_511_706n, true) // nanoseconds when it is shown
  view.setBigInt64(112, 7_816_531_568_416n, true) // and was taken
  return record
}

function numbers(kind: 'Float32' | 'Float64', values: readonly number[], isLittle = false): Uint8Array {
  const size = kind === 'Float32' ? 4 : 8
  const view = new DataView(new ArrayBuffer(values.length * size))
  for (const [index, value] of values.entries()) view[`set${kind}`](index * size, value, isLittle)
  return new Uint8Array(view.buffer)
}
