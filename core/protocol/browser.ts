/** What other packages may use. @see core/protocol/README.md */

export { MAX_NAME, type Profile } from './profiles'
export { readRoomCode } from './readRoomCode'
