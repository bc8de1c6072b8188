import { z } from '@hono/zod-openapi'
import { fromHex } from '#core/bytes'
import { ServiceError } from '#core/errors'
import type { KeptRoom, RoomKeeper } from '../../service/kept/roomKeeper'
import type { Role } from '../../service/state/stages'
import type { RoomAppDependencies } from '../http/roomRoute'
import { hostBody, readHostRequest } from './hosting'
import { joinBody, readJoinRequest } from './joining'

type Dependencies = Pick<RoomAppDependencies, 'service' | 'settings' | 'config'> & {
  readonly keeper: RoomKeeper
}

/**
 * Opens or joins the room again that an earlier run has left, if its order said `resume`. A guest waits for the host then, a
 * host for its world.
 * @param role only a room of this role
 * @returns whether a role runs now
 */
export async function resumeRoom(dependencies: Dependencies, role?: Role): Promise<boolean> {
  const left = await dependencies.keeper.left()
  if (!left || (role !== undefined && left.role !== role)) return false
  try {
    START[left.role](left, dependencies)
    return true
  } catch (error) {
    // An order of another version, or a launcher that was faster.
    if (error instanceof ServiceError || error instanceof z.ZodError) return false
    throw error
  }
}

const START: Readonly<Record<Role, (room: KeptRoom, dependencies: Dependencies) => void>> = {
  host({ order, world, decisions }, { service, settings, config }) {
    const body = hostBody.parse(order)
    const request = readHostRequest(body, { room: 'room', private: 'private' }, { config, settings })
    service.host({
      ...request,
      kept: request.kept && { ...request.kept, world },
      world: world && { port: world.port, name: world.name },
      decisions,
    })
    settings.setLauncherCustomString(body.launcherCustomString)
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
    settings.setLauncherCustomString(body.launcherCustomString)
  },
}
