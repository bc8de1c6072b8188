import type { RoomView } from '@lantern-room/room'

/** What a service shows that has no room. */
export const IDLE_VIEW: RoomView = {
  stage: 'Idle',
  state: 'waiting',
  role: null,
  room: null,
  privacy: null,
  admission: null,
  players: [],
  guests: [],
  connections: [],
  gamePort: 0,
  worldName: null,
  url: null,
  failure: null,
  notice: null,
  warning: null,
  network: null,
  ports: [],
  keepPorts: [],
  index: 0,
  stateIndex: 0,
  profileIndex: 0,
  changedAt: 0,
}
