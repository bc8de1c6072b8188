import { abortReason } from '../../errors'
import { RoomFailure } from '../failure'
import type { Clock, GuestSession } from '../ports'
import type { Player, Profile } from '../profiles'
import type { RoomCode } from '../roomCode'
import { createScaffoldingClient, greet, type ScaffoldingClient } from '../scaffolding/client'
import { within } from './wait'

/** A guest's talk with the host, over one stream after another. Every call may throw RoomFailure. */
export type HostLink = {
  /** Greets the host over a new stream; the old one is dropped. The host must be the one of the first time. */
  connect(): Promise<void>
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
  readonly session: GuestSession
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
      await inTime(open(AbortSignal.any([signal, controller.signal])))
    },
    worldPort: () => inTime(portOf(client())),
    profiles: () => inTime(client().profiles()),
    beat: () =>
      inTime(
        (async () => {
          await client().playerPing(player)
          const profiles = await client().profiles()
          return { profiles, worldPort: await portOf(client()) }
        })(),
      ),
  }

  /** @param own aborts when this stream is given up: one that is opened too late must not take the next one's place */
  async function open(own: AbortSignal): Promise<void> {
    const stream = await session.dial(session.host.roomPort, own)
    const opened = createScaffoldingClient(stream, { clock, signal: own })
    if (own.aborted) throw abortReason(own)
    current = opened
    await greet(opened, player)
    // A host that had a key must have it again; one that had none is not asked for one.
    if (!isKnown || pinned) pinned = await opened.identify(room, pinned)
    isKnown = true
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

async function portOf(client: ScaffoldingClient): Promise<number | undefined> {
  const port = await client.serverPort()
  return port === 'not-started' ? undefined : port
}

function lost(): RoomFailure {
  return new RoomFailure('connection-lost', 'The host does not answer.')
}
