import { within } from '#core/async/deadline'
import type { Clock } from '#core/clock'
import { abortReason } from '#core/errors'
import { RoomFailure } from '../failure'
import type { GuestConnection } from '../ports'
import type { Player, Profile } from '../profiles'
import type { RoomCode } from '../roomCode'
import { createScaffoldingClient, greet, type ScaffoldingClient } from '../scaffolding/client'

/** A guest's talk with the host, over one stream after another. Every call may throw RoomFailure. */
export type HostLink = {
  /**
   * Greets the host over a new stream; the old one is dropped. The host must be the one of the first time.
   * @returns the port of the world; undefined while there is none
   */
  connect(): Promise<number | undefined>
  /** Gives the stream up: who waits for an answer hears of it at once. */
  drop(): void
  /** undefined while there is no world. */
  worldPort(): Promise<number | undefined>
  profiles(): Promise<readonly Profile[]>
  /** Tells that the player is there, and asks what may have changed. */
  beat(): Promise<{ readonly profiles: readonly Profile[]; readonly worldPort: number | undefined }>
}

/** A host that takes longer for an answer is looked for anew; the protocol's own limit is for connections left alone. */
const ANSWER_MS = 10_000

export function createHostLink(dependencies: {
  readonly session: GuestConnection
  readonly room: RoomCode
  readonly player: Player
  readonly clock: Clock
  readonly signal: AbortSignal
}): HostLink {
  const { session, room, player, clock, signal } = dependencies
  let current: ScaffoldingClient | undefined
  let drop = () => {}
  let pinned: Uint8Array | undefined
  let isKnown = false

  return {
    drop: () => drop(),
    async connect() {
      drop()
      current = undefined
      const controller = new AbortController()
      drop = () => controller.abort(lost())
      return inTime(open(AbortSignal.any([signal, controller.signal])))
    },
    worldPort: () => inTime(client().serverPort().then(portOf)),
    profiles: () => inTime(client().profiles()),
    beat: () => inTime(beat(client())),
  }

  /** Asked together: a host that takes several requests answers in one packet. */
  async function beat(host: ScaffoldingClient) {
    const asked = [host.playerPing(player), host.profiles(), host.serverPort()] as const
    const [, profiles, port] = await Promise.all(asked)
    return { profiles, worldPort: portOf(port) }
  }

  /** @param own aborts when this stream is given up: one that is opened too late must not take the next one's place */
  async function open(own: AbortSignal): Promise<number | undefined> {
    const { roomPort, isOurs } = session.host
    const stream = await session.dial(roomPort, own)
    const opened = createScaffoldingClient(stream, { clock, signal: own, takesSeveral: isOurs })
    if (own.aborted) throw abortReason(own)
    current = opened
    const greeting = greet(opened, player)
    if (!opened.takesSeveral) await greeting
    // A host that had a key must have it again; one that had none, or can have none, is not asked for one.
    const mustProve = pinned !== undefined || (!isKnown && isOurs)
    const [{ gamePort }, key] = await Promise.all([
      greeting,
      mustProve ? opened.identify(room, pinned) : undefined,
    ])
    pinned = key
    isKnown = true
    return portOf(gamePort)
  }

  function client(): ScaffoldingClient {
    if (!current) throw lost()
    return current
  }

  async function inTime<T>(work: Promise<T>): Promise<T> {
    try {
      return await within(clock, ANSWER_MS, work, lost)
    } catch (error) {
      drop()
      throw error
    }
  }
}

function portOf(port: number | 'not-started'): number | undefined {
  return port === 'not-started' ? undefined : port
}

function lost(): RoomFailure {
  return new RoomFailure('connection-lost', 'The host does not answer.')
}
