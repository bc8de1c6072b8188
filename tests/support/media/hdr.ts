// Patches of light as high dynamic range stores them, computed from the standards and not by ffmpeg.

export type Transfer = 'smpte2084' | 'arib-std-b67'
type Rgb = readonly [number, number, number]

/** Brightness of reference white in cd/m², ITU-R BT.2408. */
const WHITE_NITS = 203

/**
 * Raw `yuv444p10le` pictures of upright patches, all the same, 32 pixels wide, of linear BT.709 light.
 * @param patches 1 = reference white
 */
export function hdrPatches(
  patches: readonly Rgb[],
  transfer: Transfer,
  height: number,
  count: number,
): Uint8Array {
  const codes = patches.map((patch) => codesOf(patch, transfer))
  const width = patches.length * 32
  const samples = new Uint16Array(width * height * 3)
  for (let plane = 0; plane < 3; plane += 1) {
    for (let at = 0; at < width * height; at += 1) {
      samples[plane * width * height + at] = codes[Math.floor((at % width) / 32)]?.[plane] ?? 0
    }
  }
  const picture = new Uint8Array(samples.buffer)
  return Uint8Array.from({ length: picture.length * count }, (_, at) => picture[at % picture.length] ?? 0)
}

/** Limited-range 10-bit Y, Cb, Cr of BT.2020, non-constant luminance. */
function codesOf(light: Rgb, transfer: Transfer): Rgb {
  const nits = to2020(light).map((value) => value * WHITE_NITS)
  const [red = 0, green = 0, blue = 0] = transfer === 'smpte2084' ? nits.map(pq) : hlg(nits)
  const luma = 0.2627 * red + 0.678 * green + 0.0593 * blue
  return [
    Math.round(64 + 876 * luma),
    Math.round(512 + (896 * (blue - luma)) / 1.8814),
    Math.round(512 + (896 * (red - luma)) / 1.4746),
  ]
}

/** ITU-R BT.2087. */
function to2020([red, green, blue]: Rgb): number[] {
  return [
    0.6274 * red + 0.3293 * green + 0.0433 * blue,
    0.0691 * red + 0.9195 * green + 0.0114 * blue,
    0.0164 * red + 0.088 * green + 0.8956 * blue,
  ]
}

/** ITU-R BT.2100, inverse EOTF of PQ. */
function pq(nits: number): number {
  const power = (nits / 10_000) ** (2610 / 16_384)
  return ((3424 / 4096 + (2413 / 128) * power) / (1 + (2392 / 128) * power)) ** (2523 / 32)
}

/** ITU-R BT.2100, inverse OOTF (gamma 1.2, peak 1000 cd/m²) and OETF of HLG. */
function hlg(nits: readonly number[]): number[] {
  const [red = 0, green = 0, blue = 0] = nits.map((value) => value / 1000)
  const luminance = 0.2627 * red + 0.678 * green + 0.0593 * blue
  const scene = luminance === 0 ? 0 : luminance ** ((1 - 1.2) / 1.2)
  return [red, green, blue].map((value) => {
    const light = value * scene
    return light <= 1 / 12
      ? Math.sqrt(3 * light)
      : 0.17883277 * Math.log(12 * light - 0.28466892) + 0.55991073
  })
}
