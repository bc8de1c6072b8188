/** MP4 and MOV by their boxes and tracks. @see core/formats/README.md */

export { encodeAacEntry } from './mp4/aac'
export { type Box, childrenOf, encodeBox, onlyBox, readBoxes } from './mp4/boxes'
export { readMovie, videoTrack } from './mp4/movie'
export { stampTimes } from './mp4/patchMovie'
export type { Display, Track } from './mp4/track'
export { type FilledTrack, joinMovie, writeMovie } from './mp4/writeMovie'
export { surveyMovie } from './videoFile/surveyMovie'
