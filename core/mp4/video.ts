/** How H.264 and HEVC are coded, and whether phones play that. @see core/mp4/README.md */

export { foreignSets, formatsOf, hasOwnSets, readCodedStream, withOwnSets } from './video/codedStream'
export { hevcStream } from './video/hevcStream'
export { judgeVideo, VIDEO_PROBLEM_CODES, type VideoProblemCode, type VideoRate } from './video/playback'
export { CHROMAS, type VideoFormat } from './video/videoFormat'
