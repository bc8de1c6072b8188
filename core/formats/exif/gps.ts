import type { Place } from '../source/facts'
import type { TiffTag } from './tiff'

/** Parts of a second of arc, and of a metre. */
const PRECISION = 1000

/** The tags of the GPS directory of EXIF for a place on WGS 84. @see CIPA DC-008 (Exif 2.32), 4.6.6 */
export function gpsTags({ latitude, longitude, altitude }: Place): TiffTag[] {
  const height: TiffTag[] =
    altitude === undefined
      ? []
      : [
          { tag: 5, byte: altitude < 0 ? 1 : 0 }, // GPSAltitudeRef: below sea level
          { tag: 6, rational: [Math.round(Math.abs(altitude) * PRECISION), PRECISION] },
        ]
  return [
    { tag: 0, byteValues: [2, 3, 0, 0] }, // GPSVersionID
    { tag: 1, ascii: latitude < 0 ? 'S' : 'N' },
    { tag: 2, rationals: degrees(latitude) },
    { tag: 3, ascii: longitude < 0 ? 'W' : 'E' },
    { tag: 4, rationals: degrees(longitude) },
    ...height,
    { tag: 0x12, ascii: 'WGS-84' }, // GPSMapDatum
  ]
}

/** Degrees, minutes and seconds. */
function degrees(angle: number): (readonly [number, number])[] {
  const parts = Math.round(Math.abs(angle) * 3600 * PRECISION)
  const minute = 60 * PRECISION
  return [
    [Math.floor(parts / (60 * minute)), 1],
    [Math.floor(parts / minute) % 60, 1],
    [parts % minute, PRECISION],
  ]
}
