import type { HeicPicture } from '@lantern-room/formats/pictures'
import { profileOfCodes } from '@lantern-room/formats/pictures'
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
  const own = profile ?? profileOfCodes(primaries, transfer)
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
