/** What other packages may use. @see core/media/README.md */

export { chooseOrigin } from './capture/chooseOrigin'
export { readPhotoMarks, readVideoMarks } from './capture/pair'
export { pairFiles } from './capture/pairFiles'
export { captureOf, clocksOfMovie } from './capture/readCapture'
export { describeInspection, type InspectionSummary } from './photo/apart/describeInspection'
export type { OutputProfile } from './photo/make/outputFiles'
export { UNKNOWN_CAPTURE } from './traits'
