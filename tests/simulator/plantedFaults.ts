import type { Player } from './player'
import type { PlantedFault, SimulationContext } from './simulationContext'

/** Does what the run was told to do wrong, once it is calm; `wrong-byte` is the guests' part. */
export function schedulePlantedFault(
  { clock, scenario, plant, trace }: SimulationContext,
  players: readonly Player[],
): void {
  if (plant === undefined || plant === 'wrong-byte') return
  const acts: Readonly<Record<Exclude<PlantedFault, 'wrong-byte'>, () => void>> = {
    // Its program does not hear that its network is gone.
    'deaf-host': () => players[0]?.home.machine.kill(),
    'open-socket': () => void players[0]?.home.machine.transports.openUdp(9),
    'thrown-error': () => {
      throw new Error('planted')
    },
    rejection: () => void Promise.reject(new Error('planted')),
    'own-chance': () => void clock.after(Math.random() * 500, () => trace.note('by chance')),
  }
  clock.after(scenario.calmAt, acts[plant])
}
