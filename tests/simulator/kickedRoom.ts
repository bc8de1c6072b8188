import type { GuestPlayer } from './guest'
import { createGuestProgram } from './guestProgram'
import { createHostProgram, type HostProgram } from './hostProgram'
import type { KickPlan } from './kickPlan'
import type { Player } from './player'
import type { Program } from './program'
import { createRemovedPlayer, type RemovedPlayer } from './removedPlayer'
import type { PlayerPlan } from './scenario'
import { createHome, type SimulationContext } from './simulationContext'

/** The players of a room from which some are removed. */
export function gatherPrograms(place: SimulationContext, { kicks }: KickPlan) {
  const { scenario } = place
  const [hostPlan, ...guestPlans] = scenario.players as readonly [PlayerPlan, ...PlayerPlan[]]
  const hostHome = createHome(place, hostPlan, 0)
  const host = createHostProgram(
    place,
    hostHome,
    hostPlan,
    () => new Map(guests.map(({ name, machineId }) => [name, machineId])),
  )
  const guests: (GuestPlayer & Program)[] = []
  const all = guestPlans.map((plan, at): Player => {
    const index = at + 1
    const home = createHome(place, plan, index, hostHome.house)
    if (kicks.some(({ player }) => player === index))
      return createRemovedPlayer(place, home, plan, host, () => guests[0])
    const guest = createGuestProgram(place, home, plan, host, isSpared(index))
    guests.push(guest)
    return guest
  })
  return { host, guests, players: [host, ...all] }

  /** Whether all that goes wrong goes wrong for those who are removed. */
  function isSpared(index: number): boolean {
    return scenario.faults.every(
      (fault) =>
        'player' in fault && fault.player !== index && fault.player !== 0 && fault.kind !== 'router-restart',
    )
  }
}

export function scheduleKicks(
  { scenario, clock }: SimulationContext,
  { host, players }: { readonly host: Player; readonly players: readonly Player[] },
): void {
  for (const { atMs, player } of scenario.kicks?.kicks ?? []) {
    clock.after(atMs, () => {
      const removed = players[player] as RemovedPlayer
      ;(host as HostProgram).remove(removed.machineId)
    })
  }
}
