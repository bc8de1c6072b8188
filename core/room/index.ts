/** What other packages may use. @see core/room/README.md */

export { admitToFeed } from './api/feed/feed'
export { type RoomConfig, readRoomConfig } from './config'
export { type FailureCode, RoomFailure } from './failure'
export { isAllowable, KEPT_NUMBERS } from './localNumbers'
export { makeReport } from './report/report'
export { createRoomApi, type RoomApi } from './roomApi'
export type { RoomApiDependencies } from './roomApiDependencies'
export { createKeptNodes } from './service/kept/keptNodes'
export { withFileLog } from './service/log/logLine'
export type { RoomView } from './service/state/roomView'
export { toStatusReport } from './service/state/statusReport'
