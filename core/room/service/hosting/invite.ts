import type { ProbeHere } from '@lantern-room/game'
import type { HostIdentity, RoomCode } from '@lantern-room/protocol'
import { readRoomCode } from '@lantern-room/protocol'
import { createInvitation, type Invitation } from '@lantern-room/protocol/invitation'
import type { NodeStatus } from '../../networkStatus'
import type { RoomState } from '../state/roomState'

export type Invite = ReturnType<typeof createInvite>

/** Makes links to the room that is hosted now. */
export function createInvite(dependencies: {
  readonly roomState: Pick<RoomState, 'view'>
  readonly probeHere: ProbeHere
  readonly identityOf: (room: RoomCode) => Pick<HostIdentity, 'signInvitation'>
  /** Where a web page takes invitations. */
  readonly page: string | undefined
  readonly stopping: AbortSignal
}) {
  const { roomState, probeHere, identityOf, page, stopping } = dependencies
  /** @param game its version is the world's unless it is given. @returns undefined when no room is hosted */
  return async ({ gameVersion, mods }: Pick<Invitation, 'gameVersion' | 'mods'>) => {
    const { role, stage, room, players, gamePort, network } = roomState.view()
    const { code } = readRoomCode(room ?? '')
    if (role !== 'host' || stage === 'Error' || !code) return undefined
    const world = gameVersion === undefined && gamePort > 0 ? await probeHere(gamePort, stopping) : undefined
    // It may have been closed meanwhile.
    if (roomState.view().room !== room) return undefined
    const content = {
      room: code,
      nodes: livingNodes(network?.nodes ?? []),
      gameVersion: gameVersion ?? world?.status.version,
      mods,
      name: players.find(({ kind }) => kind === 'HOST')?.name,
    }
    return createInvitation(content, identityOf(code), page)
  }
}

/** All of them where none lives: the network may be down for a moment. */
function livingNodes(nodes: readonly NodeStatus[]): readonly string[] {
  const living = nodes.filter(({ state }) => state !== 'failed')
  return (living.length > 0 ? living : nodes).map(({ url }) => url)
}
