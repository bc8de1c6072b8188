/** Cutting a clip out of a video: by copying, around the runs of an encoder. @see core/formats/README.md */

export { type CopyPlan, copyFrames, headMovie, planCopy } from './clip/copyFrames'
export { type Pictures, readPictures } from './clip/copySource'
export { cutPictures, type PictureCut } from './clip/cutPictures'
export { channelsOf, copySound, cutBoundedSound, isCopyable, readSound, type SoundCut } from './clip/cutSound'
export { cutSource, originOf } from './clip/cutSource'
export { readFrameGroup } from './clip/frameGroup'
export { type FrameTrack, findFrames, frameTrackBytes, readFrameStream } from './clip/frameStream'
export { joinClip, readClipTracks } from './clip/joinClip'
export { pipeMovie } from './clip/pipeMovie'
export { soundOfAdts } from './clip/soundOfAdts'
export { normalizeClip } from './mp4/normalizeClip'
