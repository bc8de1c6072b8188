/** What other packages may use. @see core/media/README.md */

export { chooseOrigin } from './capture/chooseOrigin'
export { captureOf, clocksOfMovie } from './capture/readCapture'
export type { OutputProfile } from './convert/outputFiles'
export { describeInspection, type InspectionSummary } from './photos/describeInspection'
export { UNKNOWN_CAPTURE } from './traits'
