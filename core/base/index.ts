/** What other packages may use. @see core/base/README.md */

export {
  isInSubnet,
  isLinkLocalIpv6,
  isLoopbackAddress,
  isPublicAddress,
  isPublicIpv4,
  isReachableAddress,
  isSiteAddress,
  networkOfAddress,
} from './addressRanges'
export { addNewest, oncePer, setNewest } from './boundedMemory'
export { type Build, builtAt, CONTRACT_VERSION, version } from './build'
export { cleanText, isPrintable } from './cleanText'
export {
  ConfigError,
  type Environment,
  parseFlag,
  parseList,
  parseOrigin,
  parseToken,
  parseWebAddress,
  readSettings,
  removedSettings,
  type SettingReader,
} from './environment'
export { type ErrorCode, type FailureReason, ServiceError, systemCode, tooSlow, type Wording } from './errors'
export {
  addFormField,
  type FormFields,
  nearest,
  readFormFields,
  refuseMisspelt,
  shownName,
} from './formFields'
export { type Language, preferredLanguage, textIn, type Values, type Words } from './language'
export { createLog, describeError, LOG_LEVELS, type Log, type LogLevel } from './log'
export {
  isOutgoing,
  isThisMachine,
  LOWEST_PORT,
  type Origin,
  OUTGOING_HEADERS,
  OutboundRefusal,
  type OutboundScheme,
  type OwnMachine,
  refusalOf,
} from './outbound'
export { createOwnPorts, type OwnPorts, type PortTransport, type PortUse, SERVER_NAME } from './ownPorts'
export { type Denial, decideShare, type ShareDecision, Shares, type Standing } from './shares'
export { createTokenBuckets } from './tokenBuckets'
