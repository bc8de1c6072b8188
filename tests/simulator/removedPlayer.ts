import { sleep, within } from '@lantern-room/base/async'
import type { GuestConnection, RoomNetwork } from '@lantern-room/room/network'
import { drawnNetworkOf } from '#support/room/privateNetworks'
import { askForSecret } from '../unit/protocol/scaffolding/askForSecret'
import type { HostProgram } from './hostProgram'
import { createPlayer, describe, type Player, type Run } from './player'
import { createProgram, type Program } from './program'
import type { PlayerPlan } from './scenario'
import { GAME_PORT, type Home, type SimulationContext } from './simulationContext'

/** A player who is removed, and afterwards tries everything with what it knows. */
export type RemovedPlayer = Player & { readonly machineId: string }

const LOOK_MS = 500
const ROUND_MS = 3000
const ANSWER_MS = 5000
const HOST = /^scaffolding-mc-server-/

export function createRemovedPlayer(
  place: SimulationContext,
  home: Home,
  plan: PlayerPlan,
  host: HostProgram,
  /** Who stays. */
  victim: () => Program | undefined,
): RemovedPlayer {
  const { trace } = place
  const { name } = plan
  const { clock } = home
  const secrets: Uint8Array[] = []
  const seen = new Map<string, readonly string[]>()
  let isTold = false

  const program = createProgram(place, home, plan, {
    role: 'guest',
    watch: (network) => ({ ...network, join: async (options) => listening(await network.join(options)) }),
    onStart() {},
    onView({ failure }) {
      if (failure?.code !== 'removed' || isTold) return
      isTold = true
      if (!host.hasRemoved(program.machineId)) trace.violate(`${name} was told that it was removed`)
      program.stop()
      spy.start()
    },
    check() {},
    complaint() {
      if (!isTold) return `is in ${program.current()?.roomState.view().stage}, although it was removed`
      const tooMany = [...seen].find(([, members]) => membersBesideHost(members) > otherRemoved())
      return tooMany && `meets ${tooMany[1].join()} in the network of ${tooMany[0]}`
    },
  })
  const spy = createPlayer(place, `${name} again`, home, {
    async open(run) {
      const ways = [tryNetwork('the code', home.roomNetwork(run.number), run)]
      const last = secrets.at(-1)
      if (last) ways.push(tryNetwork('a secret', home.roomNetwork(run.number, drawnNetworkOf(last)), run))
      return { closed: Promise.all(ways).then(() => undefined) }
    },
    check() {},
    complaint: () => undefined,
  })
  const now = () => (isTold ? spy : program)

  return {
    name,
    home,
    machineId: program.machineId,
    start: () => now().start(),
    stop: () => now().stop(),
    crash: (isPowerLoss) => now().crash(isPowerLoss),
    check() {},
    complaint: program.complaint,
    get leftovers() {
      return [...program.leftovers, ...spy.leftovers]
    },
  }

  /** Who is removed meets the others of that kind by the code. */
  function otherRemoved(): number {
    return (place.scenario.kicks?.kicks.length ?? 0) - 1
  }

  /** Notes what the host tells. */
  function listening(connection: GuestConnection): GuestConnection {
    return Object.defineProperties(Object.create(connection), {
      follow: {
        value(secret: Uint8Array) {
          if (isTold) trace.violate(`${name} was told a secret after it was removed`)
          if (!secrets.some((known) => String(known) === String(secret))) secrets.push(secret)
          connection.follow?.(secret)
        },
      },
    })
  }

  /** Joins again and again, until the run is over. */
  async function tryNetwork(way: string, network: RoomNetwork, { signal }: Run): Promise<void> {
    while (!signal.aborted) {
      try {
        const ending = new AbortController()
        const own = AbortSignal.any([signal, ending.signal])
        const connection = await network.join({ room: place.room, signal: own, onStep() {} })
        await Promise.all([lookAround(way, connection, own), askForMore(connection, own)])
      } catch (error) {
        seen.delete(way)
        trace.note(`${name} by ${way}: ${describe(error)}`)
      }
      await sleep(clock, LOOK_MS, signal).catch(() => undefined)
    }
  }

  async function lookAround(way: string, connection: GuestConnection, signal: AbortSignal): Promise<void> {
    for (;;) {
      seen.set(
        way,
        connection.members().map(({ hostname }) => hostname),
      )
      await sleep(clock, LOOK_MS, signal)
    }
  }

  /** Asks for the secret under a name, and for the world. */
  async function askForMore(connection: GuestConnection, signal: AbortSignal): Promise<void> {
    for (;;) {
      await askHost(connection, signal).catch(() => undefined)
      await reachWorld(connection, signal).catch(() => undefined)
      await sleep(clock, ROUND_MS, signal)
    }
  }

  async function askHost(connection: GuestConnection, signal: AbortSignal): Promise<void> {
    const stream = await connection.dial(connection.host.roomPort, signal)
    try {
      const secret = await askForSecret(stream, disguise(), { clock, signal })
      if (secret) trace.violate(`${name} was told the secret`)
    } finally {
      stream.destroy()
    }
  }

  /** Nobody can tell a player who was never there from one who takes that name. */
  function disguise(): { readonly name: string; readonly machineId: string } {
    const known = place.scenario.kicks?.disguise === 'victim' ? victim() : undefined
    if (known && host.knows(known.machineId)) return { name: known.name, machineId: known.machineId }
    return { name: `${name} again`, machineId: `${name}-again` }
  }

  async function reachWorld(connection: GuestConnection, signal: AbortSignal): Promise<void> {
    const stream = await connection.dial(GAME_PORT, signal)
    try {
      await stream.write(Uint8Array.of(1))
      const heard = await within(clock, ANSWER_MS, stream.read(), () => new Error('no answer'))
      if (heard) trace.violate(`${name} has reached the world`)
    } finally {
      stream.destroy()
    }
  }
}

function membersBesideHost(hostnames: readonly string[]): number {
  return hostnames.filter((hostname) => !HOST.test(hostname)).length
}
