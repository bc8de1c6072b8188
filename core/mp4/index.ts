/** MP4 and MOV as movies: their tracks and samples, read and written. @see core/mp4/README.md */

export { encodeAacEntry } from './movie/aac'
export { presentationStart } from './movie/edits'
export { runs, UNITY_MATRIX } from './movie/encodeTrack'
export { isHeardAsStored } from './movie/heardAsStored'
export { isMoved, type Movie, movieOf, readMoov, readMovie, videoTrack } from './movie/movie'
export { patchChunkOffsets, stampTimes } from './movie/patchMovie'
export { findIndex, readIndex } from './movie/readIndex'
export { endsOutside, readSamples } from './movie/readSamples'
export { type SampleTable, total } from './movie/sampleTable'
export { type Display, readClock, type Track } from './movie/track'
export { CLIP_FILE_TYPE, CLIP_PADDING, type FilledTrack, joinMovie, writeMovie } from './movie/writeMovie'
