/** What other packages may use. @see core/room/README.md */

export {
  differencesOf,
  type Invitation,
  missingModsOf,
  modListOf,
  modNameOf,
  readInvitation,
} from './invitation'
export { describeProblem, type RoomCodeProblem, readRoomCode } from './readRoomCode'
export { generatePrivateRoomCode, generateRoomCode, type RoomCode, type RoomPrivacy } from './roomCode'
