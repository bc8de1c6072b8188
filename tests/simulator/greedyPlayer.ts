import { setMaxListeners } from 'node:events'
import { sleep } from '@lantern-room/base/async'
import type { GuestConnection } from '@lantern-room/room/network'
import { createGreedyMember } from '#support/room/greedyMember'
import { playerIdOf } from '../unit/protocol/scaffolding/stayRegistered'
import { GREED, type GreedyKind } from './greed'
import type { HostPlayer } from './host'
import { createPlayer, describe, type Player, type Run } from './player'
import { GAME_PORT, type Home, type SimulationContext } from './simulationContext'

/** Each of its streams listens to the same signal. */
setMaxListeners(0)

const ROUND_MS = 5000
const LOOK_MS = 200
/** A player's id is its first member's: the victim has to be there before it is renamed. */
const VICTIM = 'guest1'

/** Joins as a friend does, and then asks for far more than its share, again and again. */
export function createGreedyPlayer(
  place: SimulationContext,
  home: Home,
  kind: GreedyKind,
  name: string,
  host: HostPlayer,
): Player {
  const { room, trace } = place
  const victim = playerIdOf(VICTIM)

  return createPlayer(place, name, home, {
    async open(run) {
      const opened = await home.roomNetwork(run.number).join({ room, signal: run.signal, onStep: () => {} })
      run.keep('greed', attack(opened, run))
      return opened
    },
    check() {},
    complaint: () => undefined,
  })

  async function attack(opened: GuestConnection, { signal, keep }: Run): Promise<void> {
    const member = createGreedyMember(opened, { worldPort: GAME_PORT, victim }, name, GREED[kind])
    try {
      while (!host.lists(victim)) await sleep(home.clock, LOOK_MS, signal)
      for (;;) {
        keep(
          'round',
          member.round().catch((error: unknown) => trace.note(`${name}: a round broke: ${describe(error)}`)),
        )
        await sleep(home.clock, ROUND_MS, signal)
      }
    } catch (error) {
      if (!signal.aborted) throw error
    } finally {
      member.close()
    }
  }
}
