import { createFfmpeg } from '#core/adapters/ffmpeg/ffmpeg'
import { locateFfmpeg } from '#core/adapters/ffmpeg/ffmpegLocation'
import { ffmpegSuite } from './ffmpegSuite'
import { childProcesses, openPipes } from './leaks'

ffmpegSuite('child process', async () => {
  const { path } = await locateFfmpeg({ configured: [process.env.FFMPEG_PATH] })
  const ffmpeg = createFfmpeg({ path })
  // Looking for it has started the guard, which stays: what is there now is no leak.
  const pipes = openPipes()
  const children = await childProcesses()
  return {
    ffmpeg,
    limited: (memoryLimitBytes) => createFfmpeg({ path, memoryLimitBytes }),
    leaks: async () => {
      const open = openPipes().filter((pipe) => !pipes.includes(pipe))
      const left = (await childProcesses()).filter((child) => !children.includes(child))
      return [...left, ...open]
    },
  }
})
