/** What other packages may use. @see core/media/README.md */

export { chooseOrigin } from './capture/chooseOrigin'
export { withoutPhotoMark } from './capture/fileName'
export { MAX_VIDEO_SECONDS, readPhotoMarks, readVideoMarks, type VideoMarks } from './capture/pair'
export { pairFiles } from './capture/pairFiles'
export { captureOf, clocksOfMovie, timeOfFiles } from './capture/readCapture'
export { timeZoneOf } from './capture/timeZone'
export { describeInspection, type InspectionSummary } from './photo/apart/describeInspection'
export type { OutputProfile } from './photo/make/outputFiles'
export { UNKNOWN_CAPTURE } from './traits'
