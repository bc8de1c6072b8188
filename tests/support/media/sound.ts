import { ffmpeg } from './media'

/** Samples a second of what `soundOf` returns. */
export const SAMPLE_RATE = 48_000

/** A file's first sound, mixed to one channel, from the moment that a player calls 0. */
export async function soundOf(path: string): Promise<Float32Array> {
  const bytes = await ffmpeg([
    ...['-i', path, '-map', '0:a:0', '-af', 'aresample=async=1:first_pts=0'],
    ...['-ac', '1', '-ar', String(SAMPLE_RATE), '-f', 'f32le', 'pipe:1'],
  ])
  return new Float32Array(Uint8Array.from(bytes).buffer, 0, Math.floor(bytes.length / 4))
}

/** The frequency of a pure tone in Hz, by its zero crossings. */
export function frequencyOf(samples: Float32Array): number {
  const crossings: number[] = []
  for (let at = 1; at < samples.length; at += 1) {
    const [before = 0, after = 0] = [samples[at - 1], samples[at]]
    if (before < 0 && after >= 0) crossings.push(at - after / (after - before))
  }
  const [first = 0] = crossings
  return ((crossings.length - 1) * SAMPLE_RATE) / ((crossings.at(-1) ?? 0) - first)
}

/** Root of the mean square: 0 is silence. */
export function loudness(samples: Float32Array): number {
  return Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / Math.max(1, samples.length))
}

/** Seconds at which sound begins after a silence of at least 100 ms. */
export function onsetsOf(samples: Float32Array, threshold = 0.05): number[] {
  const onsets: number[] = []
  let lastLoud = Number.NEGATIVE_INFINITY
  samples.forEach((value, at) => {
    if (Math.abs(value) < threshold) return
    if (at - lastLoud > SAMPLE_RATE / 10) onsets.push(at / SAMPLE_RATE)
    lastLoud = at
  })
  return onsets
}
