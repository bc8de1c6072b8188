import { playerIdOf } from '../unit/protocol/scaffolding/stayRegistered'
import type { Fault } from './faultPlan'
import { scheduleFaults } from './faults'
import { createGreedyPlayer } from './greedyPlayer'
import { createGuestPlayer, type GuestPlayer } from './guest'
import { createHostPlayer, type HostPlayer } from './host'
import { gatherPrograms, scheduleKicks } from './kickedRoom'
import type { Player } from './player'
import { createRelayServer, type RelayServer } from './relayServers'
import { canBeDirect, type PlayerPlan } from './scenario'
import { scheduleAttacker } from './scheduleAttacker'
import { createHome, type PlantedFault, type SimulationContext } from './simulationContext'

/** How long after the last fault everybody has to be together again. */
const RECOVERY_MS = 15_000
/** How long after it a removed player may see others: until the last of them has left the network of the code. */
const PARTING_MS = 45_000
/** What is left of a member that leaves without a word is forgotten by then. */
const GOODBYE_MS = 25_000
const LOOK_MS = 500
/** A symmetric router is hit by chance: several tries. */
const DIRECT_MS = 30_000

type Cast = {
  readonly host: HostPlayer
  readonly players: readonly Player[]
  readonly guests: readonly GuestPlayer[]
  readonly greedy: readonly Player[]
  readonly relays: readonly RelayServer[]
}

/** The whole course of a scenario: everybody comes, things go wrong, it is calm again, everybody goes. */
export async function play(place: SimulationContext) {
  const { scenario, clock, trace } = place
  const cast = await gather(place)
  const { players, guests, relays } = cast
  for (const [index, { startMs }] of scenario.players.entries())
    clock.after(startMs, () => players[index]?.start())
  scheduleFaults(place, players, relays)
  scheduleAttacker(place)
  scheduleGreedy(place, cast)
  scheduleKicks(place, cast)
  schedulePlantedFault(place, players)
  await advance(place, cast, scenario.calmAt)
  const recoveredAfterMs = await recover(place, cast)
  if (scenario.faults.every(leavesWays) && !scenario.attacker) await meetDirectly(place, cast)
  const paths = guests.map((guest) => guest.path())
  await leave(place, cast)
  const sum = (what: 'whole' | 'broken') => guests.reduce((total, { counts }) => total + counts[what], 0)
  trace.note(`the end, after ${clock.steps} steps`)
  return { wholeTalks: sum('whole'), brokenTalks: sum('broken'), recoveredAfterMs, paths }
}

async function gather(place: SimulationContext): Promise<Cast> {
  const { scenario } = place
  const relays = scenario.relays.map((_, index) => createRelayServer(place, index))
  await Promise.all(relays.map((relay) => relay.start()))
  if (scenario.kicks) return { relays, greedy: [], ...gatherPrograms(place, scenario.kicks) }
  const [hostPlan, ...guestPlans] = scenario.players as readonly [PlayerPlan, ...PlayerPlan[]]
  const hostHome = createHome(place, hostPlan, 0)
  const host = createHostPlayer(place, hostHome, hostPlan.name)
  const guests = guestPlans.map((plan, index) =>
    createGuestPlayer(place, createHome(place, plan, index + 1, hostHome.house), plan),
  )
  const greedy = (scenario.greedy?.members ?? []).map(({ kind, plan }, index) =>
    createGreedyPlayer(place, createHome(place, plan, 20 + index), kind, plan.name, host),
  )
  return { relays, guests, greedy, host, players: [host, ...guests] }
}

/** Greedy members come and go. While they are there the friend has to get in, and everybody to stay on the host's list. */
function scheduleGreedy({ scenario, clock, trace }: SimulationContext, cast: Cast): void {
  const { greedy: plan } = scenario
  if (!plan) return
  clock.after(plan.startMs, () => {
    for (const one of cast.greedy) one.start()
  })
  clock.after(plan.endMs, () => {
    const missing = cast.guests.filter(({ name }) => !cast.host.lists(playerIdOf(name)))
    for (const { name } of missing)
      trace.violate(`${name} is not on the host's list in spite of greedy members`)
    for (const one of cast.greedy) one.stop()
  })
}

/** Does what the run was told to do wrong, once it is calm; `wrong-byte` is the guests' part. */
function schedulePlantedFault(
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

/** Until every guest can talk with the host, or the time for that is over. @returns how long it took */
async function recover(place: SimulationContext, cast: Cast): Promise<number> {
  const { clock, scenario, trace } = place
  const calmAt = clock.now()
  const elapsedMs = () => clock.now() - calmAt
  const isLate = () => elapsedMs() >= RECOVERY_MS
  let recoveredMs: number | undefined
  for (;;) {
    const complaints = await askAll(place, cast)
    const isFine = complaints.length === 0
    if (isFine) recoveredMs ??= elapsedMs()
    if (isFine && (isLate() || !scenario.isPatient)) break
    const late = lateComplaints(place, cast, complaints, elapsedMs())
    for (const complaint of late) trace.violate(`${complaint}, ${elapsedMs()} ms after the last fault`)
    if (late.length > 0) break
    await advance(place, cast, isFine ? 5000 : LOOK_MS)
  }
  return recoveredMs ?? elapsedMs()
}

/** What should be over by now. Those who stay have to be together long before the removed are alone. */
function lateComplaints(
  { scenario }: SimulationContext,
  { guests }: Cast,
  complaints: readonly string[],
  elapsedMs: number,
): readonly string[] {
  if (elapsedMs < RECOVERY_MS) return []
  return scenario.kicks && elapsedMs < PARTING_MS ? complaintsOf(guests) : complaints
}

function complaintsOf(players: readonly Player[]): readonly string[] {
  return players.flatMap((player) => {
    const complaint = player.complaint()
    return complaint ? [`${player.name} ${complaint}`] : []
  })
}

/** What players complain about; when nobody does, each guest says something to the host. */
async function askAll(place: SimulationContext, cast: Cast): Promise<readonly string[]> {
  const complaints = complaintsOf(cast.players)
  if (complaints.length > 0) return complaints
  let open = cast.guests.length
  const tries = cast.guests.map(async (guest) => {
    const problem = await guest.tryOut()
    open -= 1
    return problem ? [`${guest.name} cannot talk with the host: ${problem}`] : []
  })
  while (open > 0) await advance(place, cast, LOOK_MS)
  return (await Promise.all(tries)).flat()
}

/** Whether players can be direct again after it: at once, or when they have asked for their new addresses. */
function leavesWays({ kind }: Fault): boolean {
  return kind === 'move' || kind === 'router-restart' || kind === 'sleep' || kind === 'cable'
}

/** Where nothing goes wrong, and after changes of networks, routers that let themselves be punched are. */
async function meetDirectly(place: SimulationContext, cast: Cast): Promise<void> {
  const { scenario, trace } = place
  const [host] = scenario.players
  const waiting = () =>
    cast.guests.filter((guest) => {
      const plan = scenario.players.find(({ name }) => name === guest.name)
      const isApart = scenario.faults.some(({ kind }) => kind === 'move') && plan?.isAtHosts
      return host && plan && !isApart && canBeDirect(host, plan) && guest.path() !== 'direct'
    })
  for (let waited = 0; waited < DIRECT_MS && waiting().length > 0; waited += LOOK_MS)
    await advance(place, cast, LOOK_MS)
  for (const { name } of waiting())
    trace.violate(`${name} still needs a shared node after ${DIRECT_MS / 1000} s`)
}

/** Everybody goes: nothing may be left. */
async function leave(place: SimulationContext, cast: Cast): Promise<void> {
  const { clock, net, trace } = place
  for (const player of cast.players) player.stop()
  const left = () => [...cast.players, ...cast.greedy, ...cast.relays].flatMap(({ leftovers }) => leftovers)
  for (let waited = 0; waited < GOODBYE_MS && left().length > 0; waited += LOOK_MS)
    await advance(place, cast, LOOK_MS)
  for (const leftover of left()) trace.violate(`left over: ${leftover}`)
  for (const relay of cast.relays) relay.crash(false)
  // What is on its way arrives at nobody.
  await advance(place, cast, 2000)
  for (const leak of net.leaks()) trace.violate(`still open: ${leak}`)
  if (clock.timers > 0) trace.violate(`${clock.timers} timers still wait`)
}

async function advance({ clock }: SimulationContext, { players, relays }: Cast, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= LOOK_MS) {
    await clock.advance(Math.min(left, LOOK_MS))
    for (const one of [...players, ...relays]) one.check()
  }
}
