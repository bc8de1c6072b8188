/** What other packages may use. @see core/base/README.md */

export { type Build, builtAt, CONTRACT_VERSION, version } from './build'
export { cleanText, isPrintable } from './cleanText'
export { type ErrorCode, type FailureReason, ServiceError, systemCode, tooSlow, type Wording } from './errors'
export { type Language, preferredLanguage, textIn, type Values, type Words } from './language'
export { createLog, describeError, LOG_LEVELS, type Log, type LogLevel } from './log'
