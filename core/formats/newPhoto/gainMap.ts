import { asciiBytes, concatBytes } from '@lantern-room/base/bytes'
import { readFraction } from '../exif/makerNote'
import { readMakerNote } from '../exif/readExif'
import { APP1, encodeSegment } from '../jpeg/jpeg'
import type { Size } from '../jpeg/jpegFrame'
import { stripJpeg } from '../jpeg/stripJpeg'
import { XMP_MARK, XMP_NAMESPACES } from '../xmp/xmp'

/**
 * How much brighter a picture of high dynamic range is than its rendition for ordinary screens, pixel by pixel, as the
 * logarithm to base 2.
 */
export type GainMap = Size & {
  /** 0 to 255, from `min` to `max`. */
  readonly pixels: Uint8Array
  readonly min: number
  readonly max: number
}

/** Added to both sides, so that black is divided by something. @see Ultra HDR Image Format v1.1, "Gain map generation" */
const OFFSET = 1 / 64

/** The brightest that PQ has is 10,000 cd/m², white 203. */
const MAX_GAIN = Math.log2(10_000 / 203)
/** Tone mapping darkens nothing: what is below are scaling errors at edges. */
const MIN_GAIN = -1
/** The range must not be empty. */
const SMALLEST_RANGE = 0.1

/**
 * Computes how much brighter the light of a picture is than its rendition.
 * @param light planes of floats, G, B, R, linear, 1 being reference white
 * @param rendition RGB of 8 bits in sRGB, of the same size
 * @example
 * const map = computeGainMap(light, rgb, { width: 480, height: 270 })
 * const values = map.pixels // to be encoded as a grey JPEG
 */
export function computeGainMap(light: Float32Array, rendition: Uint8Array, size: Size): GainMap {
  const count = size.width * size.height
  const gains = new Float32Array(count)
  let [min, max] = [0, SMALLEST_RANGE]
  for (let i = 0; i < count; i++) {
    const hdr = luminance(light[2 * count + i] ?? 0, light[i] ?? 0, light[count + i] ?? 0)
    const sdr = luminance(
      linearOf(rendition[3 * i]),
      linearOf(rendition[3 * i + 1]),
      linearOf(rendition[3 * i + 2]),
    )
    const gain = Math.log2((Math.max(0, hdr) + OFFSET) / (sdr + OFFSET))
    const kept = Math.min(MAX_GAIN, Math.max(MIN_GAIN, gain || 0))
    gains[i] = kept
    min = Math.min(min, kept)
    max = Math.max(max, kept)
  }
  const pixels = Uint8Array.from(gains, (gain) => Math.round(((gain - min) / (max - min)) * 255))
  return { width: size.width, height: size.height, pixels, min, max }
}

function luminance(red: number, green: number, blue: number): number {
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** The inverse of sRGB's curve, for each of 256 values. @see IEC 61966-2-1 */
const LINEAR = Float32Array.from({ length: 256 }, (_, value) => {
  const signal = value / 255
  return signal <= 0.04045 ? signal / 12.92 : ((signal + 0.055) / 1.055) ** 2.4
})

function linearOf(value: number | undefined): number {
  return LINEAR[value ?? 0] ?? 0
}

/**
 * The JPEG of a gain map with the numbers that turn it back into light.
 * @param map.offset added to light on both sides before their ratio is taken. @default that of `computeGainMap`
 * @param jpeg of `pixels`; its metadata is dropped
 * @returns undefined when it is no whole JPEG
 * @see Ultra HDR Image Format v1.1, "Gain map metadata"
 * @example
 * const jpeg = encodeGainMap(computeGainMap(light, rgb, size), grey)
 */
export function encodeGainMap(
  { min, max, offset = OFFSET }: Pick<GainMap, 'min' | 'max'> & { readonly offset?: number },
  jpeg: Uint8Array,
): Uint8Array | undefined {
  const stripped = stripJpeg(jpeg)
  if (!stripped) return undefined
  const fields = {
    Version: '1.0',
    GainMapMin: min.toFixed(6),
    GainMapMax: max.toFixed(6),
    Gamma: '1',
    OffsetSDR: String(offset),
    OffsetHDR: String(offset),
    HDRCapacityMin: '0',
    HDRCapacityMax: max.toFixed(6),
    BaseRenditionIsHDR: 'False',
  }
  const packet = [
    '<x:xmpmeta xmlns:x="adobe:ns:meta/">',
    '  <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">',
    `    <rdf:Description rdf:about="" xmlns:hdrgm="${XMP_NAMESPACES.hdrgm}"`,
    `${Object.entries(fields)
      .map(([name, value]) => `        hdrgm:${name}="${value}"`)
      .join('\n')}/>`,
    '  </rdf:RDF>',
    '</x:xmpmeta>',
  ].join('\n')
  const { bytes } = stripped
  const xmp = encodeSegment(APP1, concatBytes([XMP_MARK, asciiBytes(packet)]))
  return concatBytes([bytes.subarray(0, 2), xmp, bytes.subarray(2)])
}

/**
 * How bright Apple's gain map makes a picture where it is white, as the logarithm to base 2.
 * @param exif of the picture
 * @param xmp bytes with that of the map in them, as text
 * @returns undefined where it is not known, or makes nothing brighter
 * @see Apple, "Applying Apple HDR effect to your photos"
 * @example
 * const stops = appleStops(headerOf(jpeg).metadata.exif, latin1(map))
 */
export function appleStops(exif: Uint8Array | undefined, xmp: string): number | undefined {
  if (!xmp.includes('HDRGainMapVersion')) return undefined
  const [, headroom] = /HDRGainMapHeadroom(?:="|>)([\d.]+)/.exec(xmp) ?? []
  const stops = headroom ? Math.log2(Number(headroom)) : stopsOfNote(exif && readMakerNote(exif))
  return stops >= SMALLEST_RANGE && stops <= MAX_GAIN ? stops : undefined
}

function stopsOfNote(note: Uint8Array | undefined): number {
  const [headroom, gain] = [readFraction(note, 0x0021), readFraction(note, 0x0030)]
  if (headroom < 1) return gain > 0.01 ? 1.5 + 0.101 * (1 - gain) : 1.8 - 20 * gain
  return gain > 0.01 ? 2 + 0.303 * (1 - gain) : 3 - 70 * gain
}
