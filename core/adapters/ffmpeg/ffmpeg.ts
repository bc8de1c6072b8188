import { availableParallelism } from 'node:os'
import { ServiceError } from '@lantern-room/base'
import type { Ffmpeg } from '@lantern-room/media/ports'
import { runProcess } from '../process/processRunner'
import { withoutCharacterSets } from './characterSets'

/**
 * Runs ffmpeg with its memory limited. The port `Ffmpeg` says what each call returns and throws.
 * @param options.path of the program, as `locateFfmpeg` finds it
 * @param options.memoryLimitBytes address space of one run. @default 3 GiB and 384 MiB for each core
 * @example const ffmpeg = createFfmpeg({ path: (await locateFfmpeg(undefined)).path })
 */
export function createFfmpeg(options: { readonly path: string; readonly memoryLimitBytes?: number }): Ffmpeg {
  const memoryLimitBytes = options.memoryLimitBytes ?? defaultMemoryLimit(availableParallelism())

  return {
    run: async ({ args, stdin, timeoutMs, signal, onFrame, maxOutputBytes, maxFileBytes }) =>
      runProcess({
        stdin,
        timeoutMs,
        signal,
        maxOutputBytes,
        maxFileBytes,
        file: options.path,
        args: ['-hide_banner', '-nostdin', ...args],
        environment: await withoutCharacterSets(),
        memoryLimitBytes,
        onStderrLine: (line) => {
          const frame = onFrame === undefined ? null : FRAME.exec(line)
          if (frame?.[1] !== undefined) onFrame?.(Number(frame[1]))
          return !PROGRESS.test(line) && !STATUS.test(line)
        },
      }),

    async version() {
      const signal = new AbortController().signal
      const outcome = await runProcess({
        file: options.path,
        args: ['-version'],
        // As each job is run: by the shell, which sets the limit.
        memoryLimitBytes,
        timeoutMs: VERSION_TIMEOUT_MS,
        signal,
      })
      if (outcome.exitCode === 0) return new TextDecoder().decode(outcome.stdout).trim()
      throw new ServiceError('unavailable', 'The program that reads videos cannot run right now.', {
        cause: new Error(`exit code ${outcome.exitCode}: ${outcome.stderr}`),
      })
    },
  }
}

/**
 * Room for honest work, and a wall for a small file that unpacks to gigabytes. ffmpeg starts threads and keeps
 * frames by the number of cores, so the limit grows with them. Measured with ffmpeg 5.1, and 7.0 is alike (peak of address space;
 * resident memory is a third of it):
 *
 * | threads                                                |    2 |    4 |    8 |   16 |
 * | 4K HEVC, H.264, 10 bit, HDR to a 720p preview (MiB)    |  770 |      |      | 1850 |
 * | 8K H.264 to a 720p preview                             |  800 |      |      | 2360 |
 * | 8K H.264, cover at full size                           | 1240 | 1980 | 3150 | 5640 |
 * | 8K H.264, preview at full size                         | 2190 | 2510 | 4320 | 7060 |
 * | 36 megapixels 4:4:4 10 bit, preview at full size       | 2990 | 3470 | 4480 | 6760 |
 * | 36 megapixels 4:4:4 10 bit, cover at full size         | 2770 | 3840 | 5890 | 9490 |
 * | the same in HLG                                        | 3680 |      |      |      |
 * | the limit                                              | 3840 | 4608 | 6144 | 9216 |
 */
function defaultMemoryLimit(cores: number): number {
  return (3072 + 384 * cores) * 1024 * 1024
}

const VERSION_TIMEOUT_MS = 10_000

/** A line of `-progress`; the status line of a terminal has more text after the number. */
const FRAME = /^frame=\s*(\d+)\s*$/
const PROGRESS =
  /^(?:frame|fps|stream_\d+_\d+_\w+|bitrate|total_size|out_time(?:_us|_ms)?|dup_frames|drop_frames|speed|progress)=\s*\S*\s*$/
const STATUS = /^(?:frame|size)=.*time=.*speed=/
