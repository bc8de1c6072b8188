/** What other packages may use. @see core/adapters/README.md */

export { createFfmpeg } from './ffmpeg'
export { type FfmpegLocation, locateFfmpeg } from './ffmpegLocation'
export { createSharpWebp } from './sharpWebp'
