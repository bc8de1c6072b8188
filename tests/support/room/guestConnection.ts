import type { GuestConnection } from '@lantern-room/room/network'

const HOST = {
  id: '1',
  hostname: 'scaffolding-mc-server-13448',
  isHost: true,
  address: '10.144.144.1',
}

/** A connection to the host of an open room, of which nothing can be dialled unless a test says how. */
export function guestConnection(changes: Partial<GuestConnection> = {}): GuestConnection {
  return {
    host: { member: HOST, roomPort: 13_448, isOurs: true },
    closed: new Promise(() => {}),
    links: () => [],
    members: () => [HOST],
    status: () => ({ privacy: 'open', nodes: [], mappings: [], path: undefined, difficulty: undefined }),
    onEvent: () => () => {},
    hostKey: () => undefined,
    checkHost: () => true,
    isOneOfSeveral: () => false,
    isHostAwaited: () => false,
    isOtherHostThere: () => false,
    isHostUnreadable: () => false,
    dial: () => Promise.reject(new Error('no streams here')),
    datagrams() {
      throw new Error('no datagrams here')
    },
    ...changes,
  }
}
