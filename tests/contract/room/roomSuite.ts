import type { Settings } from '#support/process/serverProcess'
import type { RoomTarget } from '#support/room/roomTargets'
import { startWorld, type TestWorld } from '#support/room/testWorld'
import { suite } from '#support/runner/suite'
import { present } from '../ports/expected'
import { accessCases } from './accessCases'
import { documentCases } from './documentCases'
import { guestCases } from './guestCases'
import { hostCases } from './hostCases'
import { idleCases } from './idleCases'
import { inputCases } from './inputCases'
import { GUARD, type RoomContract } from './roomContract'
import { savedCases } from './savedCases'

const GUARD_SETTINGS: Settings = {
  ROOM_API_TOKEN: GUARD.token,
  ROOM_ALLOWED_ORIGINS: `${GUARD.origin}, http://127.0.0.1:1`,
  ROOM_NODES: 'tcp://127.0.0.1:9, ws://[::1]:9/x',
}

const EVERY_CASE = [idleCases, hostCases, guestCases, savedCases, inputCases, accessCases, documentCases]

/**
 * The HTTP contract of the room service, tried in one place: `core/room/api/roomRoutes.ts` says where.
 * @param start opens the service with these settings; those of one suite share a network
 */
export function roomSuite(
  name: string,
  start: (settings: Settings) => Promise<RoomTarget>,
  cases: readonly ((contract: RoomContract) => void)[] = EVERY_CASE,
): void {
  const test = suite<unknown>(`room service: ${name}`, { timeoutMs: 60_000 })
  let targets: readonly RoomTarget[] = []
  let world: TestWorld | undefined

  test.before(async () => {
    world = await startWorld()
    const quick = { ROOM_HEARTBEAT_MS: '300' }
    const started = await Promise.allSettled([
      start({ ...quick, SCAFFOLDING_PORT: '24448' }),
      start({ ...quick, SCAFFOLDING_PORT: '24548' }),
      start(GUARD_SETTINGS),
    ])
    targets = started.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    for (const outcome of started) if (outcome.status === 'rejected') throw outcome.reason
  })
  test.after.each(async () => {
    await Promise.all(targets.slice(0, 2).map((target) => target.send('/room/stop', { method: 'POST' })))
  })
  test.after(async () => {
    await Promise.all(targets.map((target) => target.stop()))
    await world?.close()
  })

  const contract: RoomContract = {
    test,
    one: () => present(targets[0]),
    other: () => present(targets[1]),
    guarded: () => present(targets[2]),
    world: () => present(world),
  }
  for (const add of cases) add(contract)
  test.run()
}
