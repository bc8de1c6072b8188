/** What other packages may use. @see core/adapters/README.md */

export { withoutCharacterSets } from './characterSets'
export { createFfmpeg } from './ffmpeg'
export { type FfmpegLocation, locateFfmpeg } from './ffmpegLocation'
export { createSharpWebp } from './sharpWebp'
