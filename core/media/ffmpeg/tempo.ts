import { SOUND_RATE } from './encodeArgs'

/** Filters from decoded sound to exactly `seconds` of it at another speed, silence added where it ends before. */
export function tempoFilters(speed: number, seconds: number): string {
  return [
    `aresample=${SOUND_RATE}:async=1:first_pts=0`,
    'apad',
    ...tempo(speed),
    // In samples, because silence without any sound before it has no timestamps.
    `atrim=end_sample=${Math.round(seconds * SOUND_RATE)}`,
    'asetpts=N/SR/TB',
  ].join(',')
}

/**
 * Filters that change the tempo of sound at `SOUND_RATE` and keep its pitch. What they put out is early by
 * `tempoLeadSeconds`.
 *
 * `atempo` moves each piece of the sound by up to half of its window, which it chooses by the sample rate: 43 ms at 48 kHz.
 * Told a lower rate, it chooses a shorter window, and sound stays with its picture. One filter can change the tempo by 0.5
 * to 2 without losing samples, so several are chained. Each withholds its last tenth of a second when its input ends.
 */
export function tempo(speed: number): string[] {
  if (speed === 1) return []
  const { steps, factor, divisor } = tempoSteps(speed)
  const filter = `atempo=${factor.toFixed(9)}`
  return [`asetrate=${SOUND_RATE / divisor}`, ...Array(steps).fill(filter), `asetrate=${SOUND_RATE}`]
}

/**
 * Seconds of the original sound by which `tempo` is early. Measured with ffmpeg 5.1 and 9.0: each filter is early by half a
 * window of its input.
 */
export function tempoLeadSeconds(speed: number): number {
  if (speed === 1) return 0
  const { steps, factor, divisor } = tempoSteps(speed)
  const window = 2 ** Math.ceil(Math.log2(SOUND_RATE / divisor / WINDOWS_PER_SECOND))
  const halfWindow = window / SOUND_RATE / 2
  return Array.from({ length: steps }, (_, step) => halfWindow * factor ** step).reduce(
    (sum, lead) => sum + lead,
  )
}

/** How `atempo` chooses its window: at least this fraction of a second, and a power of two. */
const WINDOWS_PER_SECOND = 24

function tempoSteps(speed: number): { steps: number; factor: number; divisor: number } {
  const steps = Math.max(1, Math.ceil(Math.abs(Math.log2(speed)) - 1e-9))
  // Several filters add up their errors, and slow sound shows them most.
  return { steps, factor: speed ** (1 / steps), divisor: speed < 0.25 ? 4 : 2 }
}
