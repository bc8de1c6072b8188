import { type Chromaticity, encodeMatrixProfile, type RgbSpace } from './matrixProfile'

/**
 * The ICC profile of colours that are told by numbers alone (`nclx`). PQ and HLG get the curve of what they are mapped to.
 * @param primaries of ITU-T H.273, table 2
 * @param transfer of ITU-T H.273, table 3
 * @returns `srgb` where they are those of sRGB, which need no profile; undefined where they are not known here
 * @example
 * const profile = profileOfCodes(12, 13) // Display P3
 */
export function profileOfCodes(primaries: number, transfer: number): Uint8Array | 'srgb' | undefined {
  const space = SPACES[primaries]
  const curve = CURVES[transfer]
  if (!space || curve === undefined) return undefined
  if (space === BT709 && curve === 'srgb') return 'srgb'
  const { name, red, green, blue, white } = space
  return encodeMatrixProfile({ name, red, green, blue, white, curve })
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
  16: 'srgb',
  18: 'srgb',
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
