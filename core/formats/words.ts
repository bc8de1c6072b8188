/** What others say of a photo, written into it where it says nothing itself. @see core/formats/README.md */

export type { OwnWords } from './words/ownWords'
export type { PhotoWords, WordKind } from './words/photoWords'
export { type PlannedWords, planWords, readWords, withExif } from './words/planWords'
export { type StillSurvey, surveyStill } from './words/surveyStill'
