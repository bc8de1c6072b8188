import { sleep } from '@lantern-room/base/async'
import type { RoomView } from '@lantern-room/room'
import type { HostPlayer } from './host'
import type { Run } from './player'
import { createProgram, type Program, type Running } from './program'
import type { PlayerPlan } from './scenario'
import type { Home, SimulationContext } from './simulationContext'

type KnownGuest = RoomView['guests'][number]

export type HostProgram = HostPlayer &
  Program & {
    /** From now on this player has to go, as soon as it is in the room. */
    remove(machineId: string): void
    hasRemoved(machineId: string): boolean
    /** Whether this player has been in the room. */
    knows(machineId: string): boolean
  }

const LOOK_MS = 250

/** Hosts the private room, removes players, and lets in who is expected. */
export function createHostProgram(
  place: SimulationContext,
  home: Home,
  plan: PlayerPlan,
  /** Machine ids of those who stay, by name. */
  friends: () => ReadonlyMap<string, string>,
): HostProgram {
  const { trace } = place
  const toRemove = new Set<string>()
  const removed = new Set<string>()
  const known = new Set<string>()

  const program = createProgram(place, home, plan, {
    role: 'host',
    onStart: (running, run) => run.keep('decisions', decideAgain(running, run)),
    onView: noteView,
    check() {},
    complaint: () => (view()?.stage === 'Host_Running' ? undefined : `is in ${view()?.stage}`),
  })
  return Object.assign(program, {
    lists: (machineId: string) => view()?.players.some((player) => player.machineId === machineId) === true,
    remove: (machineId: string) => void toRemove.add(machineId),
    hasRemoved: (machineId: string) => removed.has(machineId),
    knows: (machineId: string) => known.has(machineId),
  })

  function view(): RoomView | undefined {
    return program.current()?.roomState.view()
  }

  function noteView({ players, guests }: RoomView): void {
    const ids = players.map(({ machineId }) => machineId)
    if (new Set(ids).size < ids.length) trace.violate('a player is on the list twice')
    if (ids.some((id) => removed.has(id))) trace.violate('a removed player is on the list again')
    for (const id of ids) known.add(id)
    // A removed player who takes a friend's name is asked about, too.
    if (place.scenario.kicks?.disguise !== 'victim') guests.filter(isFriend).forEach(noteFriend)
  }

  function isFriend({ id, name }: KnownGuest): boolean {
    return friends().get(name) === id
  }

  function noteFriend({ id, name, state }: KnownGuest): void {
    if (state !== 'waiting') trace.violate(`${name} was ${state}`)
    else if (known.has(id)) trace.violate(`the host is asked about ${name}, who was in the room`)
  }

  async function decideAgain(running: Running, { signal }: Run): Promise<void> {
    try {
      for (;;) {
        await sleep(home.clock, LOOK_MS, signal)
        decide(running)
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }

  function decide({ roomState, service }: Running): void {
    const { stage, players, guests } = roomState.view()
    if (stage !== 'Host_Running') return
    const ids = players.map(({ machineId }) => machineId)
    for (const id of toRemove) {
      if (!ids.includes(id) || removed.has(id)) continue
      trace.note(`REMOVED ${id}`)
      removed.add(id)
      service.guests().kick(id)
    }
    for (const guest of guests) {
      if (guest.state !== 'waiting' || !isFriend(guest) || known.has(guest.id)) continue
      trace.note(`LET IN ${guest.name}`)
      service.guests().approve(guest.id)
    }
  }
}
