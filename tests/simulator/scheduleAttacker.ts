import { openAttackingMember } from '../unit/easytier/attacks/attackingMember'
import type { AttackerPlan } from './scenario'
import { identityOf, RELAY_PORT, relayAddress, type SimulationContext } from './simulationContext'

type Attacker = { stop(): Promise<void> }

export function scheduleAttacker(place: SimulationContext): void {
  const { clock, scenario, trace } = place
  const { attacker: plan } = scenario
  if (!plan) return
  let attacker: Attacker | undefined
  clock.after(plan.startMs, () => {
    void startAttacker(place, plan).then((started) => {
      attacker = started
    })
  })
  clock.after(plan.endMs, () => {
    trace.note('the attacker leaves')
    void attacker?.stop()
  })
}

function startAttacker(place: SimulationContext, { attacks }: AttackerPlan): Promise<Attacker> {
  const { net, clock, trace, scenario } = place
  return openAttackingMember({
    identity: identityOf(place),
    attacks,
    nodes: scenario.relays.map((_, relay) => ({ address: relayAddress(relay), port: RELAY_PORT })),
    transports: net.machine('66.6.6.6').transports,
    clock,
    chance: place.chance.fork('liar'),
    note: (text) => trace.note(`attacker: ${text}`),
  })
}
