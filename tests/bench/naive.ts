import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** What a service does that was written in an afternoon: default x264 at the input's size, one step after another. */
export function naivePipeline(ffmpeg: string, ffprobe: string | undefined, folder: string) {
  const preview = join(folder, 'naive.mp4')
  const quiet = ['-v', 'error', '-y']

  return {
    preview,

    async prepare(input: string): Promise<void> {
      if (ffprobe) await run(ffprobe, ['-v', 'error', '-show_format', '-show_streams', '-of', 'json', input])
      await run(ffmpeg, [
        ...[...quiet, '-i', input, '-vf', 'scale=ceil(iw/2)*2:ceil(ih/2)*2', '-r', '30'],
        ...['-c:v', 'libx264', '-profile:v', 'baseline', '-level', '3.1', '-pix_fmt', 'yuv420p'],
        ...['-c:a', 'aac', '-movflags', '+faststart', preview],
      ])
      if (ffprobe) await run(ffprobe, ['-v', 'error', '-show_entries', 'format=duration', preview])
    },

    async convert({
      start,
      end,
      cover,
      speed,
    }: {
      start: number
      end: number
      /** Undefined: the clip alone. */
      cover: number | undefined
      speed: number
    }) {
      const clip = join(folder, 'naive-clip.mp4')
      const still = join(folder, 'naive-cover.jpg')
      await run(ffmpeg, [
        ...[...quiet, '-i', preview, '-ss', String(start), '-t', String(end - start)],
        ...[
          ...['-vf', `setpts=PTS/${speed}`, '-af', `atempo=${speed}`],
          ...'-c:v libx264 -profile:v baseline'.split(' '),
        ],
        ...['-pix_fmt', 'yuv420p', '-c:a', 'aac', clip],
      ])
      if (cover === undefined) return
      await run(ffmpeg, [...quiet, '-i', preview, '-ss', String(cover), '-frames:v', '1', '-q:v', '2', still])
      await run(ffmpeg, [...quiet, '-i', still, '-vf', 'scale=320:-1', join(folder, 'naive-thumbnail.jpg')])
    },
  }
}
