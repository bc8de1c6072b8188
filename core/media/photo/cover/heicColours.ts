import type { HeicPicture } from '@lantern-room/formats/parts'
import { type Chromaticity, encodeMatrixProfile, type RgbSpace } from '@lantern-room/formats/parts'
import type { HdrTransfer, Primaries } from '#media/traits'

/** How the colours of a HEIC become those of a JPEG. */
export type ShownColours = {
  /** `pc` (full) or `tv`; undefined: as the tiles say. */
  readonly range: 'pc' | 'tv' | undefined
  /** In ffmpeg's words; undefined: as the tiles say. */
  readonly matrix: string | undefined
  /** Whether its planes are green, blue and red. */
  readonly isRgb: boolean
  /** Of a picture that is to be mapped to BT.709. */
  readonly hdr: { readonly transfer: HdrTransfer; readonly primaries: Primaries } | undefined
  /** ICC; undefined: sRGB. */
  readonly profile: Uint8Array | undefined
}

/**
 * What a HEIC says of its colours: by an ICC profile, or by numbers alone (`nclx`), of which a profile is made, so that no value
 * changes. High dynamic range is mapped as that of videos.
 * @returns undefined where they are of a kind that cannot be shown
 * @see ITU-T H.273, tables 2 to 4; docs/decisions.md, D190
 */
export function shownColours({ colours, profile }: HeicPicture): ShownColours | undefined {
  if (!colours) return { range: undefined, matrix: undefined, isRgb: false, hdr: undefined, profile }
  const { primaries, transfer, isFullRange } = colours
  const matrix = MATRICES[colours.matrix === DERIVED_MATRIX ? (DERIVED[primaries] ?? -1) : colours.matrix]
  const hdrTransfer = HDR_TRANSFERS[transfer]
  const hdrPrimaries = HDR_PRIMARIES[primaries]
  const own = profile ?? profileOf(primaries, transfer)
  if (matrix === undefined || own === undefined) return undefined
  if (hdrTransfer && !hdrPrimaries) return undefined
  return {
    range: isFullRange ? 'pc' : 'tv',
    matrix: matrix || undefined,
    isRgb: colours.matrix === RGB_MATRIX,
    hdr: hdrTransfer && hdrPrimaries && { transfer: hdrTransfer, primaries: hdrPrimaries },
    profile: hdrTransfer || own === 'srgb' ? undefined : own,
  }
}

const RGB_MATRIX = 0

/** How ffmpeg calls the matrices; empty: its own choice. */
const MATRICES: Readonly<Record<number, string>> = {
  [RGB_MATRIX]: '',
  1: 'bt709',
  2: '',
  4: 'fcc',
  5: 'bt601',
  6: 'bt601',
  7: 'smpte240m',
  9: 'bt2020',
}

/** The matrix that follows from the primaries, for those of which it is one of the others. */
const DERIVED_MATRIX = 12
const DERIVED: Readonly<Record<number, number>> = { 1: 1, 9: 9 }

const HDR_TRANSFERS: Readonly<Record<number, HdrTransfer>> = { 16: 'smpte2084', 18: 'arib-std-b67' }
const HDR_PRIMARIES: Readonly<Record<number, Primaries>> = {
  1: 'bt709',
  2: 'bt2020',
  9: 'bt2020',
  12: 'smpte432',
}

/**
 * From a number to the curve of a profile. That of cameras (BT.709 and those like it) is not the inverse of a display's: still
 * pictures that name it are shown as sRGB, as browsers do.
 */
const CURVES: Readonly<Record<number, RgbSpace['curve']>> = {
  1: 'srgb',
  2: 'srgb',
  4: 2.2,
  5: 2.8,
  6: 'srgb',
  7: 'srgb',
  8: 1,
  11: 'srgb',
  13: 'srgb',
  14: 'srgb',
  15: 'srgb',
}

const D65: Chromaticity = [0.3127, 0.329]
const C: Chromaticity = [0.31, 0.316]

type Space = Pick<RgbSpace, 'name' | 'red' | 'green' | 'blue' | 'white'>

const NTSC: Space = {
  name: 'BT.601 (525 lines)',
  red: [0.63, 0.34],
  green: [0.31, 0.595],
  blue: [0.155, 0.07],
  white: D65,
}
const BT709: Space = { name: 'BT.709', red: [0.64, 0.33], green: [0.3, 0.6], blue: [0.15, 0.06], white: D65 }

const SPACES: Readonly<Record<number, Space>> = {
  1: BT709,
  2: BT709,
  4: { name: 'NTSC (1953)', red: [0.67, 0.33], green: [0.21, 0.71], blue: [0.14, 0.08], white: C },
  5: { name: 'BT.601 (625 lines)', red: [0.64, 0.33], green: [0.29, 0.6], blue: [0.15, 0.06], white: D65 },
  6: NTSC,
  7: NTSC,
  8: { name: 'Film', red: [0.681, 0.319], green: [0.243, 0.692], blue: [0.145, 0.049], white: C },
  9: { name: 'BT.2020', red: [0.708, 0.292], green: [0.17, 0.797], blue: [0.131, 0.046], white: D65 },
  11: { name: 'DCI-P3', red: [0.68, 0.32], green: [0.265, 0.69], blue: [0.15, 0.06], white: [0.314, 0.351] },
  12: { name: 'Display P3', red: [0.68, 0.32], green: [0.265, 0.69], blue: [0.15, 0.06], white: D65 },
  22: { name: 'EBU 3213', red: [0.63, 0.34], green: [0.295, 0.605], blue: [0.155, 0.077], white: D65 },
}

/** @returns undefined where they are not known here */
function profileOf(primaries: number, transfer: number): Uint8Array | 'srgb' | undefined {
  const space = SPACES[primaries]
  const curve = HDR_TRANSFERS[transfer] ? 'srgb' : CURVES[transfer]
  if (!space || curve === undefined) return undefined
  if (space === BT709 && curve === 'srgb') return 'srgb'
  const { name, red, green, blue, white } = space
  return encodeMatrixProfile({ name, red, green, blue, white, curve })
}
