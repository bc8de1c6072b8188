import { OwnPorts } from '@lantern-room/base/network'
import type { RoomApiDependencies } from '@lantern-room/room'

const NO_STORE = { read: async () => undefined, write: async () => {}, remove: async () => {} }

/** What a service takes of a machine that keeps nothing, and on which only announced worlds are found, on loopback. */
export function bareMachine() {
  return {
    ownPorts: new OwnPorts(),
    machineWorlds: {
      addresses: () => ['127.0.0.1', '::1'],
      listening: async () => [],
      loggedPorts: async () => [],
    },
    keptRoom: NO_STORE,
    savedRooms: NO_STORE,
    knownHosts: NO_STORE,
    localPorts: NO_STORE,
  } satisfies Partial<RoomApiDependencies>
}
