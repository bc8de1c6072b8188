import { createSystemClock } from '@lantern-room/adapters/system'
import { generateRoomCode } from '@lantern-room/protocol'
import { createSavedRooms } from '#internal/room/service/kept/savedRooms'
import { silentLog } from '#support/values/testLog'
import { createTextFile } from '../../../../../local-runner/room/replaceFile'

// A program that notes one room after the other, until it is killed. Says a line once the first is written.

const [, , path = ''] = process.argv
const rooms = createSavedRooms({
  store: createTextFile(path),
  secret: new Uint8Array(32),
  clock: createSystemClock(),
  log: silentLog(),
})
for (let count = 0; ; count += 1) {
  const view = {
    stage: 'Host_Running',
    room: generateRoomCode().text,
    worldName: 'Castle',
    players: [],
  } as const
  // Longer than what the system writes at once.
  rooms.note({ role: 'host', order: { playerName: 'x'.repeat(20_000) } }, view)
  await rooms.list()
  if (count === 0) process.stdout.write('written\n')
}
