/** What a file is, and which files belong together. @see core/media/README.md */

export { withoutPhotoMark } from './capture/fileName'
export {
  checkPair,
  MAX_VIDEO_SECONDS,
  readPhotoMarks,
  readVideoMarks,
  secondsApart,
  type VideoMarks,
} from './capture/pair'
export { timeOfFiles } from './capture/readCapture'
export { instantOf } from './capture/timeZone'
export { checkContent } from './preview/checkContent'
export { createSniffer, SOURCE_ENDINGS, sniff, sourceKind, stillImage } from './preview/sniff'
