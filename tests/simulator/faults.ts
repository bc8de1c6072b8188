import type { LineSettings } from '#support/virtualNet/virtualNet'
import type { Fault } from './faultPlan'
import type { Player } from './player'
import type { RelayServer } from './relayServers'
import type { SimulationContext } from './simulationContext'

/** Lets the faults of the scenario happen at their times, and ends them. */
export function scheduleFaults(
  place: SimulationContext,
  players: readonly Player[],
  relays: readonly RelayServer[],
): void {
  const { clock, scenario, trace } = place
  const lines = players.map(({ home }) => ({ loss: 0, delayMs: 0, ...home.machine.line }))
  let lastMove = 0
  for (const fault of scenario.faults) {
    clock.after(fault.atMs, () => {
      const what = describeFault(fault)
      trace.note(`FAULT ${what}`)
      const end = begin(fault)
      clock.after(fault.forMs, () => {
        trace.note(`FAULT OVER ${what}`)
        end()
      })
    })
  }

  /** @returns what ends it */
  function begin(fault: Fault): () => void {
    if (fault.kind === 'relay-restart') {
      const relay = pick(relays, fault.relay)
      relay.crash(fault.isPowerLoss)
      return () => void relay.start()
    }
    const player = pick(players, fault.player ?? 0)
    const { machine, house, clock: own } = player.home
    switch (fault.kind) {
      case 'cable':
        machine.setOnline(false)
        return () => machine.setOnline(true)
      case 'no-way':
        return cut(place.net.link(machine, pick(relays, fault.relay).machine))
      case 'no-direct-way':
        return cut(place.net.link(machine, pick(players, fault.other).home.machine))
      case 'bad-line': {
        const { loss, delayMs } = pick(lines, fault.player)
        Object.assign(machine.line, { loss: fault.loss, delayMs: delayMs + fault.delayMs })
        return () => void Object.assign(machine.line, { loss, delayMs })
      }
      case 'restart':
        player.crash(fault.isPowerLoss)
        return player.start
      case 'leave':
        player.stop()
        return player.start
      case 'move':
        lastMove += 1
        machine.moveTo(place.net.house({ publicAddress: `21.0.${lastMove}.21`, nat: house.nat }))
        return () => {}
      case 'router-restart':
        lastMove += 1
        house.restart(fault.isNewAddress ? `22.0.${lastMove}.21` : undefined)
        return () => {}
      case 'sleep':
        own.sleep()
        machine.setOnline(false)
        return () => {
          machine.setOnline(true)
          own.wake()
          machine.networkChanged()
        }
      case 'time-of-day':
        own.setTimeOfDay(fault.byMs)
        return () => own.setTimeOfDay(-fault.byMs)
    }
  }
}

export function describeFault({ atMs, forMs, ...what }: Fault): string {
  return `${JSON.stringify(what)} at ${atMs} ms for ${forMs} ms`
}

function cut(line: LineSettings): () => void {
  line.isCut = true
  return () => {
    line.isCut = false
  }
}

function pick<T>(all: readonly T[], index: number): T {
  const found = all[index]
  if (found === undefined) throw new Error(`there is no number ${index}`)
  return found
}
