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
  let current: { readonly client: ScaffoldingClient; readonly drop: () => void } | undefined
  let pinned: Uint8Array | undefined
  let isKnown = false

  return {
    async connect() {
      current?.drop()
      await inTime(open())
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

  async function open(): Promise<void> {
    const controller = new AbortController()
    const stream = await session.dial(session.host.roomPort, signal)
    const opened = createScaffoldingClient(stream, {
      clock,
      signal: AbortSignal.any([signal, controller.signal]),
    })
    current = { client: opened, drop: () => controller.abort(lost()) }
    await greet(opened, player)
    // A host that had a key must have it again; one that had none is not asked for one.
    if (!isKnown || pinned) pinned = await opened.identify(room, pinned)
    isKnown = true
  }

  function client(): ScaffoldingClient {
    if (!current) throw lost()
    return current.client
  }

  async function inTime<T>(work: Promise<T>): Promise<T> {
    try {
      return await within(clock, ANSWER_MS, work, lost)
    } catch (error) {
      current?.drop()
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
