import { exifOfTime } from './exif'
import type { DirectoryChange, ExifChanges } from './patchExif'
import type { PhotoChange } from './photoChange'
import type { PixelChange } from './pixelChange'
import type { TiffDirectory } from './readTiff'
import { type PlainTag, SHORT } from './tiff'
import { exifDateTime, exifOffset, type WallClock } from './wallClock'

const IMAGE_WIDTH = 0x0100
const DATE_TIME = 0x0132
const DATE_TIME_ORIGINAL = 0x9003
const OFFSET_TIME = 0x9010
const OFFSET_TIME_ORIGINAL = 0x9011
/** OffsetTime, SubSecTime and their kin. */
const DETAILS_OF_TIME = [0x9010, 0x9011, 0x9012, 0x9290, 0x9291, 0x9292]
/** Of DateTimeOriginal and of DateTimeDigitized: the tag, its offset, its fraction. */
const TIMES = [
  [0x9003, 0x9011, 0x9291],
  [0x9004, 0x9012, 0x9292],
] as const
const SUBJECT_AREA = 0x9214
const SUBJECT_LOCATION = 0xa214

/** What becomes of the tags of a photo, for `patchExif`. */
export function exifChanges(
  { takenAt, isDateGiven, isZoneTold = false, pixels }: PhotoChange,
  { primary, photo }: { readonly primary: TiffDirectory; readonly photo: TiffDirectory },
): ExifChanges {
  const times = takenAt ? changeTimes(photo, takenAt, { isDateGiven, isZoneTold }) : NOTHING
  return {
    primary: {
      set: [
        ...(takenAt && isDateGiven ? [{ tag: DATE_TIME, ascii: exifDateTime(takenAt) }] : []),
        ...(pixels && primary.entries.has(IMAGE_WIDTH)
          ? sizeTags(primary, [IMAGE_WIDTH, 0x0101], pixels)
          : []),
      ],
      dropped: [],
    },
    photo: joinChanges([
      times,
      pixels ? { set: sizeTags(photo, [0xa002, 0xa003], pixels), dropped: [] } : NOTHING,
      pixels ? changeSubject(photo, pixels) : NOTHING,
    ]),
  }
}

const NOTHING: DirectoryChange = { set: [], dropped: [] }

function joinChanges(changes: readonly DirectoryChange[]): DirectoryChange {
  return {
    set: changes.flatMap(({ set }) => set),
    dropped: changes.flatMap(({ dropped }) => dropped),
  }
}

/** Whether a photo says when it was taken: cameras that were never set write spaces or zeros. */
export function isDated(dateTimeOriginal: string | undefined): boolean {
  return /^(?!0000)\d{4}:/.test(dateTimeOriginal ?? '')
}

/** A photo's own clock stays, unless another time is given; it gets its zone where that is known of it now. */
function changeTimes(
  photo: TiffDirectory,
  takenAt: WallClock,
  { isDateGiven, isZoneTold }: Readonly<Record<'isDateGiven' | 'isZoneTold', boolean>>,
): DirectoryChange {
  const own = photo.text(DATE_TIME_ORIGINAL)
  if (isDateGiven) return { set: exifOfTime(takenAt), dropped: DETAILS_OF_TIME }
  if (!isDated(own)) {
    const missing = TIMES.filter(([tag]) => !isDated(photo.text(tag))).flat()
    return {
      set: exifOfTime(takenAt).filter(({ tag }) => missing.some((one) => one === tag)),
      dropped: missing,
    }
  }
  const offset = exifOffset(takenAt)
  const hasZone = photo.entries.has(OFFSET_TIME) || photo.entries.has(OFFSET_TIME_ORIGINAL)
  if (!isZoneTold || offset === undefined || hasZone || own !== exifDateTime(takenAt)) return NOTHING
  return { set: [{ tag: OFFSET_TIME_ORIGINAL, ascii: offset }], dropped: [] }
}

/** A size, in the form in which it is told. */
function sizeTags(
  directory: TiffDirectory,
  [across, down]: readonly [number, number],
  { to }: PixelChange,
): PlainTag[] {
  const tags = [
    [across, to.width],
    [down, to.height],
  ] as const
  return tags.flatMap(([tag, pixels]): PlainTag[] => {
    const isShort = directory.value(tag, SHORT) !== undefined && pixels <= 0xffff
    return [isShort ? { tag, short: pixels } : { tag, long: pixels }]
  })
}

/** The point, circle or rectangle of the main subject, in pixels. @see CIPA DC-008, 4.6.5, SubjectArea */
function changeSubject(photo: TiffDirectory, pixels: PixelChange): DirectoryChange {
  const { from, to } = pixels
  const changes = [SUBJECT_AREA, SUBJECT_LOCATION].map((tag): DirectoryChange => {
    const values = photo.shorts(tag)
    if (!values) return NOTHING
    const [x = 0, y = 0, width = 0, height = width] = values
    const area = {
      x: x / from.width,
      y: y / from.height,
      width: width / from.width,
      height: height / from.height,
    }
    const moved = pixels.areaOf(area)
    if (!moved) return { set: [], dropped: [tag] }
    const shorts = [
      moved.x * to.width,
      moved.y * to.height,
      moved.width * to.width,
      moved.height * to.height,
    ].map((value) => Math.min(0xffff, Math.round(value)))
    return { set: [{ tag, shorts: shorts.slice(0, values.length) }], dropped: [] }
  })
  return joinChanges(changes)
}
