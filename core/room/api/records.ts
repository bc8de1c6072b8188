import type { z } from '@hono/zod-openapi'
import { difficultyOf, type RoomView } from '../service/roomState'
import type { stateRecord, statusRecord } from './schemas'

/** What is seen of the room, as `/state` tells it. */
export function toStateRecord(view: RoomView): z.infer<typeof stateRecord> {
  return {
    state: view.state,
    role: view.role,
    room: view.room,
    profileIndex: view.profileIndex,
    profiles: [...view.players],
    url: view.url,
    difficulty: difficultyOf(view),
    index: view.index,
    exceptionType: view.failure?.type ?? null,
    error: view.failure?.detail ?? null,
  }
}

/** What is seen of the room, as `/room/status` tells it. */
export function toStatusRecord(view: RoomView): z.infer<typeof statusRecord> {
  const { failure, network } = view
  return {
    state: view.stage,
    role: view.role,
    error: failure?.detail ?? null,
    roomCode: view.room,
    players: [...view.players],
    gamePort: view.gamePort,
    lastUpdate: new Date(view.changedAt).toISOString(),
    errorCode: failure?.code ?? null,
    stage: failure?.stage ?? null,
    hint: failure?.hint ?? view.notice,
    network: network && {
      privacy: network.privacy,
      nodes: network.nodes.map(({ url, state, latencyMs, problem }) => ({
        url,
        state,
        latencyMs: latencyMs ?? null,
        problem: problem ?? null,
      })),
      path: network.path?.kind ?? null,
      carrier: network.path?.transport ?? null,
      latencyMs: network.path?.latencyMs ?? null,
    },
  }
}
