/** What other packages may use. @see core/room/README.md */

export { admitToFeed, type FeedAccess } from './api/feed/feed'
export { readHostRequest } from './api/rooms/hosting'
export { readJoinRequest } from './api/rooms/joining'
export { toStatusRecord } from './api/rooms/state'
export { type RoomConfig, readRoomConfig } from './config'
export { diagnose } from './doctor/diagnose'
export {
  type Diagnosis,
  type DoctorDependencies,
  type Finding,
  type FindingId,
  WAYS,
  type Way,
} from './doctor/diagnosis'
export {
  type ExtraPort,
  type GivenPort,
  MAX_EXTRA_PORTS,
  MAX_PORT_NAME,
  readExtraPorts,
  type ShownPort,
} from './extraPorts'
export { type FailureCode, RoomFailure } from './failure'
export {
  differencesOf,
  type Invitation,
  missingModsOf,
  modListOf,
  modNameOf,
  readInvitation,
} from './invitation'
export { isAllowable, KEPT_NUMBER_RULE, KEPT_NUMBERS_RULE, MAX_KEPT_NUMBERS } from './localNumbers'
export { reportNat } from './network/members/natReport'
export { isRoomNetwork } from './network/members/networkIdentity'
export { findOutage, outageFailure } from './network/members/outage'
export { createRoomNetwork, notePorts } from './network/roomNetwork'
export type { Member, MemberLink, NetworkEvent, NetworkStatus, Path } from './networkStatus'
export { type KnownGuest, MAX_NAME, type Profile } from './profiles'
export { describeProblem, type RoomCodeProblem, readRoomCode } from './readRoomCode'
export { makeReport, type ReportRecord } from './report/report'
export { createRoomApi, type RoomApi } from './roomApi'
export type { RoomApiDependencies } from './roomApiDependencies'
export { generatePrivateRoomCode, generateRoomCode, type RoomCode, type RoomPrivacy } from './roomCode'
export type {
  ExposedPorts,
  GuestConnection,
  HostConnection,
  HostOptions,
  Incoming,
  JoinOptions,
  JoinStep,
  NetworkConnection,
  RoomNetwork,
} from './roomNetwork'
export { createKeptNodes, type KeptNodes } from './service/kept/keptNodes'
export type { TextStore } from './service/kept/roomKeeper'
export { createFileLog, joinLogs } from './service/log/logLine'
export type { Feed } from './service/state/feed'
export type { FeedHello, FeedMessage } from './service/state/feedMessages'
export type { Notice } from './service/state/notices'
export type { RoomState } from './service/state/roomState'
export type { RoomView } from './service/state/roomView'
export type { Stage } from './service/state/stages'
export { toStatusReport } from './service/state/statusReport'
export { default as chinese } from './words/chinese.json'
export { default as gameRefusals } from './words/gameRefusals.json'
export { default as status } from './words/status.json'
export { findingInChinese, type Say, terminalWords } from './words/words'
