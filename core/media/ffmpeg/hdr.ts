import type { Size } from '@lantern-room/formats'
import type { HdrTransfer, Primaries } from '../traits'

/** High dynamic range to linear light or to BT.709, by filters that behave the same in every version of ffmpeg. */

/**
 * PQ or HLG to BT.709: linear light with the reference white of 203 cd/m² at 1.0, then the mobius curve. Values
 * below 60 % of reference white stay unchanged, white is shown at 90 % of full scale, and highlights of up to ten times
 * its brightness stay distinguishable.
 * @see ITU-R BT.2408, "HDR reference white"
 */
export function toneMap(transfer: HdrTransfer, size: Size, primaries?: Primaries): string {
  return join(
    linearLight(transfer, size, primaries),
    // The peak is given, because the value in files is in another unit, and often wrong.
    'tonemap=mobius:param=0.6:peak=10:desat=0',
    'zscale=t=bt709:m=bt709:r=tv',
    isEven(size) ? 'format=yuv420p' : 'format=yuv444p',
  )
}

/**
 * PQ or HLG to linear light of BT.709's primaries, reference white (203 cd/m²) at 1.0, as planes of 32-bit floats.
 * @param primaries of the picture, whose matrix is that of BT.2020
 */
export function linearLight(transfer: HdrTransfer, size: Size, primaries: Primaries = 'bt2020'): string {
  const pq = transfer === 'arib-std-b67' ? HLG_TO_PQ : isEven(size) ? undefined : 'format=yuv444p10le'
  return join(
    pq,
    // The primaries are given on both sides, because zscale cannot convert from untagged ones.
    `zscale=tin=smpte2084:min=bt2020nc:pin=${primaries}:p=${primaries}:t=linear:npl=203`,
    'format=gbrpf32le',
    'zscale=p=bt709',
  )
}

/** The library behind zscale refuses subsampled colour in a picture with odd sides. */
export function isEven({ width, height }: Size): boolean {
  return width % 2 === 0 && height % 2 === 0
}

export function join(...filters: readonly (string | undefined)[]): string {
  return filters.filter((filter) => filter !== undefined).join(',')
}

/** 0 to 1: the channel's value in a `lutrgb` filter. */
const VALUE = 'val/maxval'

/** The signal to the light of the scene, 1 being the brightest: the inverse OETF. */
const SCENE_LIGHT = `if(lte(${VALUE},0.5),pow(${VALUE},2)/3,(exp((${VALUE}-0.55991073)/0.17883277)+0.28466892)/12)`

/** The OOTF of a display of 1000 cd/m²: it multiplies each channel by this power of its luminance. */
const GAIN = `pow(${VALUE},0.2)`

/** Light of up to 1000 cd/m² as PQ, which ends at 10,000: the inverse EOTF. */
const POWER = `pow(${VALUE}/10,0.1593017578125)`
const PQ = `pow((0.8359375+18.8515625*${POWER})/(1+18.6875*${POWER}),78.84375)`

/** Luminance of BT.2020 light, in each of the three channels. */
const LUMINANCE = `colorchannelmixer=${['r', 'g', 'b'].map((to) => `${to}r=0.2627:${to}g=0.678:${to}b=0.0593`).join(':')}`

/**
 * A chain from HLG to PQ for a display of 1000 cd/m², in RGB of 16 bits and full range, after a `scale` with an explicit
 * matrix. The library behind `zscale` can convert HLG, too. But its approximation (`agamma=1`) brightens each channel
 * instead of the luminance, which oversaturates colours, and its exact mode (`agamma=0`) is right only since version 3.0.4:
 * before, as in `ffmpeg-static`, pictures are a quarter too bright. ffmpeg does not tell the library's version.
 * @see ITU-R BT.2100, tables 4 and 5
 * @see docs/decisions.md, D36
 */
const HLG_TO_PQ = [
  `format=gbrp16le,${lookUp(SCENE_LIGHT)},split[scene][light]`,
  `[light]${LUMINANCE},${lookUp(GAIN)}[gain]`,
  `[scene][gain]blend=all_mode=multiply,${lookUp(PQ)}`,
].join(';')

function lookUp(expression: string): string {
  return `lutrgb=${['r', 'g', 'b'].map((channel) => `${channel}='(${expression})*maxval'`).join(':')}`
}
