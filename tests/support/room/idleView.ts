import type { RoomView } from '#core/room/service/state/roomView'

/** The view of a service that has no room. */
export const IDLE_VIEW: RoomView = {
  stage: 'Idle',
  state: 'waiting',
  role: null,
  room: null,
  players: [],
  guests: [],
  connections: [],
  gamePort: 0,
  url: null,
  failure: null,
  notice: null,
  warning: null,
  network: null,
  ports: [],
  index: 0,
  stateIndex: 0,
  profileIndex: 0,
  changedAt: 0,
}
