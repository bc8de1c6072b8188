import { z } from '@hono/zod-openapi'
import { ServiceError } from '@lantern-room/base'
import { fromHex } from '@lantern-room/base/bytes'
import { readRoomCode } from '@lantern-room/protocol'
import { readInvitation } from '@lantern-room/protocol/invitation'
import type { KeptRoom } from '../../service/kept/roomKeeper'
import { role } from '../../service/state/roomView'
import type { Role } from '../../service/state/stages'
import { WRONG_STATE } from '../http/contracts'
import { commandRoute, type RoomAppDependencies, recordRoute } from '../http/roomRoute'
import { hostBody, readHostRequest } from './hosting'
import { joinBody, readJoinRequest } from './joining'

export const keptRoute = recordRoute(
  '/room/kept',
  'Additive: the room that an earlier run has left, which POST /room/resume opens or joins again',
  z
    .object({
      role: role.openapi({ description: 'Null when there is none, or a role runs.' }),
      roomCode: z.string().nullable(),
    })
    .openapi('KeptRoom'),
  'none',
  async ({ keeper, roomState }) => {
    const left = roomState.view().role === null ? await keeper.left() : undefined
    const text = String(left?.order.room ?? left?.order.roomCode ?? '')
    const invitation = readInvitation(text)
    const code = typeof invitation === 'object' ? invitation.room : readRoomCode(text).code
    return { role: left?.role ?? null, roomCode: code?.text ?? null }
  },
)

export const resumeRoute = commandRoute(
  '/room/resume',
  'Additive: open or join the room again that an earlier run has left',
  { failures: WRONG_STATE },
  async (_given, dependencies) => {
    if (await resumeRoom(dependencies, { isAsked: true })) return 'The room is being opened or joined again.'
    throw new ServiceError('conflict', 'There is no room to go back to: open or join one.')
  },
)

type Dependencies = Pick<RoomAppDependencies, 'service' | 'settings' | 'config' | 'keeper'>

/**
 * Opens or joins the room again that an earlier run has left, if its order said `resume`. A guest waits for the host then, a
 * host for its world.
 * @param only.role only a room of this role
 * @param only.isAsked also one whose order said `ask`
 * @returns whether a role runs now
 */
export async function resumeRoom(
  dependencies: Dependencies,
  only: { readonly role?: Role | undefined; readonly isAsked?: boolean } = {},
): Promise<boolean> {
  const left = await dependencies.keeper.left()
  if (!left || (only.role !== undefined && left.role !== only.role)) return false
  if (left.order.resume === 'ask' && !only.isAsked) return false
  try {
    START[left.role](left, dependencies)
    return true
  } catch (error) {
    if (only.isAsked && error instanceof ServiceError && error.code === 'conflict') throw error
    // An order of another version, or a launcher that was faster.
    if (error instanceof ServiceError || error instanceof z.ZodError) return false
    throw error
  }
}

const START: Readonly<Record<Role, (room: KeptRoom, dependencies: Dependencies) => void>> = {
  host({ order, world, decisions }, { service, settings, config }) {
    const body = hostBody.parse(order)
    const request = readHostRequest(body, { config, settings })
    service.host({
      ...request,
      kept: request.kept && { ...request.kept, world },
      world: world && { port: world.port, name: world.name },
      decisions,
    })
    if (body.launcherCustomString) settings.setLauncherCustomString(body.launcherCustomString)
  },
  guest({ order, hostKey }, { service, settings }) {
    const body = joinBody.parse(order)
    const request = readJoinRequest(body, 'roomCode', { settings })
    service.join({
      ...request,
      hostKey: hostKey === undefined ? request.hostKey : fromHex(hostKey),
      kept: request.kept && { ...request.kept, hostKey },
      waits: true,
    })
    if (body.launcherCustomString) settings.setLauncherCustomString(body.launcherCustomString)
  },
}
