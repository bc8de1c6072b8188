import { sleep } from '@lantern-room/base/async'
import { RoomFailure } from '@lantern-room/room'
import type { GuestConnection } from '@lantern-room/room/network'
import type { Prng } from '#support/values/prng'
import { stayRegistered } from '../unit/protocol/scaffolding/stayRegistered'
import { exchangeDatagrams } from './datagrams'
import { createPlayer, describe, type Player, type Run } from './player'
import type { PlayerPlan } from './scenario'
import { GAME_PORT, type Home, type SimulationContext } from './simulationContext'
import { talk } from './talk'

export type GuestPlayer = Player & {
  /** Opens a stream and says a little; resolves with what went wrong. */
  tryOut(): Promise<string | undefined>
  /** How it reaches the host now. */
  path(): 'direct' | 'relay' | undefined
  readonly counts: { readonly whole: number; readonly broken: number }
}

/** Joins the room, and talks with the host over streams and datagrams until it is ended. */
export function createGuestPlayer(place: SimulationContext, home: Home, plan: PlayerPlan): GuestPlayer {
  const { trace, room, plant } = place
  const { name } = plan
  const counts = { whole: 0, broken: 0 }
  let session: GuestConnection | undefined
  let isLost = false
  let current: Run | undefined

  const player = createPlayer(place, name, home, {
    async open(run) {
      const chance = place.chance.fork(`${name} talks ${run.number}`)
      const opened = await home.roomNetwork(run.number).join({ room, signal: run.signal, onStep: () => {} })
      session = opened
      current = run
      isLost = false
      opened.onEvent((event) => {
        if (event.kind === 'lost') isLost = true
        if (event.kind === 'back') isLost = false
        if (event.kind === 'lost' || event.kind === 'back') trace.note(`${name} ${event.kind}`)
      })
      run.keep('chatter', chatter(opened, run, chance))
      if (place.scenario.greedy)
        run.keep('registration', stayRegistered(opened, name, home.clock, run.signal))
      void opened.closed.then(() => {
        if (session === opened) session = undefined
      })
      return opened
    },
    check() {
      const members = session?.members().length ?? 0
      if (members > 256) trace.violate(`${name}: ${members} members`)
    },
    complaint() {
      if (!session) return 'is in no room'
      if (isLost) return 'has lost the host'
      return hostPath() ? undefined : 'does not see the host'
    },
  })

  return Object.assign(player, {
    counts,
    path: () => hostPath()?.kind,
    async tryOut() {
      if (!session || !current) return 'is in no room'
      const { clock } = home
      const limit = new AbortController()
      const cancel = clock.after(10_000, () => limit.abort(new Error('no answer in 10 s')))
      try {
        const stream = await session.dial(GAME_PORT, limit.signal)
        limit.signal.addEventListener('abort', stream.destroy)
        await talk(
          stream,
          { seed: 1, up: 1500, down: 1500 },
          tools(place.chance.fork(`${name} last`), current.signal),
        )
        return undefined
      } catch (error) {
        return describe(error)
      } finally {
        cancel()
      }
    },
  })

  function hostPath() {
    try {
      return session?.status().path
    } catch {
      return undefined
    }
  }

  function tools(chance: Prng, signal: AbortSignal) {
    const tamper =
      plant === 'wrong-byte'
        ? (bytes: Uint8Array) => {
            bytes[0] = (bytes[0] ?? 0) ^ 1
          }
        : undefined
    return { clock: home.clock, chance, violate: trace.violate, signal, tamper }
  }

  async function chatter(opened: GuestConnection, run: Run, chance: Prng): Promise<void> {
    const { signal } = run
    try {
      for (let topic = 0; ; topic += 1) {
        if (chance.isTrue(0.3))
          run.keep('datagrams', exchangeDatagrams(place, home, opened, chance.fork(`udp ${topic}`), signal))
        run.keep('talk', oneTalk(opened, chance.fork(`talk ${topic}`), signal))
        await sleep(home.clock, chance.integer(500, 5000), signal)
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }

  async function oneTalk(opened: GuestConnection, chance: Prng, signal: AbortSignal): Promise<void> {
    const order = {
      seed: chance.integer(1, 1e9),
      up: chance.integer(0, plan.mostBytes),
      down: chance.integer(0, plan.mostBytes),
    }
    try {
      const stream = await opened.dial(GAME_PORT, signal)
      try {
        await talk(stream, order, tools(chance, signal))
        counts.whole += 1
      } finally {
        stream.destroy()
        await stream.closed
      }
    } catch (error) {
      counts.broken += 1
      trace.note(`${name}: a talk broke: ${describe(error)}`)
      const isDefined = error instanceof RoomFailure || signal.aborted || isStreamError(error)
      if (!isDefined) throw error
    }
  }
}

function isStreamError(error: unknown): boolean {
  return error instanceof Error && error.name === 'StreamError'
}
