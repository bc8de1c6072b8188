/** What a file is, and which files belong together. @see core/media/README.md */

export { withoutPhotoMark } from './capture/fileName'
export { MAX_VIDEO_SECONDS, readPhotoMarks, readVideoMarks, type VideoMarks } from './capture/pair'
export { nearVideos, pairFiles, strangerOf } from './capture/pairFiles'
export { timeOfFiles } from './capture/readCapture'
export { instantOf } from './capture/timeZone'
export { checkContent } from './preview/checkContent'
export { createSniffer, SOURCE_ENDINGS, sniff, sourceKind, stillImage } from './preview/sniff'
