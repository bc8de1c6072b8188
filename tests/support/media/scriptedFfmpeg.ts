import type { Ffmpeg, FfmpegOutcome, FfmpegTask } from '#core/media/ports'

type Answer = Partial<FfmpegOutcome>

/**
 * An ffmpeg that writes nothing, and ends as it is told.
 * @param answer what differs from success without output
 * @returns with it the tasks that it was given, in order
 */
export function scriptedFfmpeg(answer: (task: FfmpegTask) => Answer | Promise<Answer> = () => ({})) {
  const tasks: FfmpegTask[] = []
  const ffmpeg: Ffmpeg = {
    version: async () => 'ffmpeg version 0',
    async run(task) {
      tasks.push(task)
      return { exitCode: 0, stdout: new Uint8Array(), stderr: '', ...(await answer(task)) }
    },
  }
  return { ffmpeg, tasks }
}
