import type { Clock } from '@lantern-room/base/async'
import { within } from '@lantern-room/base/async'
import type { ListeningSocket, MachineWorlds, ProbeGame } from './ports'
import { type AnswerHere, askAt, type ProbeHere } from './probeHere'

/** A world of this machine that answers a ping. */
export type FoundWorld = AnswerHere & {
  readonly port: number
  /** Whether a program of this user has it; false where that cannot be told. */
  readonly isOfUser: boolean
}

/** The port of dedicated servers. */
const GAME_PORT = 25_565
/** How often at most the machine is searched: the system's own tools take a moment. */
const SEARCH_MS = 4000
const LIST_MS = 3500
/** A program that accepts connections and answers no ping is asked again after this time: a server may be starting. */
const QUIET_MS = 20_000
const MAX_ASKED = 32

type Candidate = {
  readonly port: number
  /** undefined = any of this machine's. */
  readonly address: string | undefined
  readonly isOfUser: boolean
}

type WorldSearchOptions = {
  readonly machine: MachineWorlds
  readonly probe: ProbeGame
  readonly probeHere: ProbeHere
  readonly onFound: (world: FoundWorld) => void
  readonly clock: Clock
}

/**
 * Finds worlds whose announcements do not arrive, and dedicated servers, which announce nothing: asks the ports on which Java
 * listens, 25565, and those in the logs of games. What is found is only offered.
 * @returns searches, at most every 4 s: to be called while a world is wanted
 * @example createWorldSearch({ machine, probe, probeHere, onFound, clock })(signal)
 */
export function createWorldSearch(options: WorldSearchOptions): (signal: AbortSignal) => void {
  const { machine, probe, probeHere, onFound, clock } = options
  const asking = new Set<string>()
  const quietUntil = new Map<string, number>()
  let searchedAt = Number.NEGATIVE_INFINITY

  return (signal) => {
    if (clock.now() - searchedAt < SEARCH_MS) return
    searchedAt = clock.now()
    void search(signal).catch(() => undefined)
  }

  async function search(signal: AbortSignal): Promise<void> {
    const listed = <T>(list: Promise<readonly T[]>) =>
      within(clock, LIST_MS, list, () => new Error('too slow')).catch((): readonly T[] => [])
    const [sockets, logged] = await Promise.all([
      listed(machine.listening(signal)),
      listed(machine.loggedPorts()),
    ])
    for (const candidate of candidatesIn(sockets, logged)) void ask(candidate, signal).catch(() => undefined)
  }

  async function ask({ port, address, isOfUser }: Candidate, signal: AbortSignal): Promise<void> {
    const key = `${address ?? ''} ${port}`
    const isQuiet = (quietUntil.get(key) ?? 0) > clock.now()
    if (signal.aborted || isQuiet || asking.has(key) || asking.size >= MAX_ASKED) return
    quietUntil.delete(key)
    asking.add(key)
    try {
      const answer = await (address === undefined
        ? probeHere(port, signal)
        : askAt(probe, { address, port }, signal))
      if (answer?.status.by === 'connect') quietUntil.set(key, clock.now() + QUIET_MS)
      else if (answer && answer.status.by !== 'raknet') onFound({ ...answer, port, isOfUser })
    } finally {
      asking.delete(key)
    }
  }
}

/** The ports to ask, each address once. */
export function candidatesIn(
  sockets: readonly ListeningSocket[],
  logged: readonly number[],
): readonly Candidate[] {
  const named = new Set([GAME_PORT, ...logged])
  const listening = sockets.filter(({ port, isJava }) => isJava || named.has(port))
  const unseen = [...named].filter((port) => !listening.some((socket) => socket.port === port))
  const all = [
    ...listening.map(({ address, port, isOfUser }) => ({ port, address: bound(address), isOfUser })),
    // The logs are this user's, but the port may be another program's by now.
    ...unseen.map((port) => ({ port, address: undefined, isOfUser: logged.includes(port) })),
  ]
  return [...new Map(all.map((one) => [`${one.address ?? ''} ${one.port}`, one])).values()]
}

function bound(address: string): string | undefined {
  return address === '0.0.0.0' || address === '::' ? undefined : address
}
