import type { Ffmpeg, FfmpegTask } from '@lantern-room/media/ports'

/** ffmpeg that waits before some tasks until the gate is opened. */
export function gatedFfmpeg(isHeld: (task: FfmpegTask) => boolean) {
  const waiting: (() => void)[] = []
  let isOpen = false
  const gate = {
    waiting: () => waiting.length,
    close() {
      isOpen = false
    },
    open() {
      isOpen = true
      for (const pass of waiting.splice(0)) pass()
    },
  }
  const machine = ({ ffmpeg }: { readonly ffmpeg: Ffmpeg }) => ({
    ffmpeg: {
      ...ffmpeg,
      async run(task: FfmpegTask) {
        if (!isOpen && isHeld(task)) await new Promise<void>((pass) => void waiting.push(pass))
        return ffmpeg.run(task)
      },
    },
  })
  return { gate, machine }
}
