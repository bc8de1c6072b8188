import { ServiceError } from '@lantern-room/base'
import { type Clock, createAlarm, sleep } from '@lantern-room/base/async'
import { equalBytes } from '@lantern-room/base/bytes'
import { createTokenBuckets } from '@lantern-room/base/limits'
import { type OnOverShare, THIS_MACHINE } from '../members'
import type { Profile } from '../profiles'
import { type HostIdentity, IDENTITY_COMMAND } from './identity'
import type { HostAdmission } from './players/hostAdmission'
import type { PlayerRegistry } from './players/registry'
import type { SharedIds } from './players/sharedIds'
import {
  COMMANDS,
  decodePlayer,
  encodePort,
  encodeProfiles,
  encodeProtocols,
  FINGERPRINT,
  failed,
  ok,
  type ProtocolCommandName,
  REFUSED,
  type RoomCaller,
  STATUS,
} from './wire/commands'
import type { RequestFrame, ResponseFrame } from './wire/frames'

/** @throws ServiceError; its detail is sent to the guest with status 255 */
export type ProtocolCommand = (body: Uint8Array, caller: RoomCaller) => ResponseFrame | Promise<ResponseFrame>

/** By kind, `namespace:value`. */
export type Commands = Readonly<Record<string, ProtocolCommand>>

export type CommandDependencies = {
  readonly registry: PlayerRegistry
  readonly admission: Pick<HostAdmission, 'admit' | 'accessOf' | 'waitingOf'>
  readonly ids: Pick<SharedIds, 'idFor' | 'seenBy'>
  /** undefined while no game runs; guests wait for one. */
  readonly gamePort: () => number | undefined
  /** Called when the port, or who may enter, has changed. @returns a function that unsubscribes */
  readonly onGamePort: (listener: () => void) => () => void
  readonly clock: Clock
  readonly onOverShare: OnOverShare
}

/**
 * How long the answer to `c:server_port` is held while no game runs. Most programs ask again at the status 32; some of them
 * ping on the same connection, and others wait for 5 s only.
 */
const HOLD_MS = 4_000

/** Terracotta's guests give up at the status 32, and at a connection that is silent for 64 s. */
const LONG_HOLD_MS = 55_000

/**
 * The five commands of the contract, on the host's side. The body of the list is ignored.
 * @param offered commands of this program that `c:protocols` lists to guests whose body lists them, too
 */
export function createCommands(
  dependencies: CommandDependencies,
  offered: readonly string[],
): Record<ProtocolCommandName, ProtocolCommand> {
  const { registry, clock, admission, ids, onOverShare } = dependencies
  const pace = createPace(clock, PLAYER_PING_RATE, (memberId) =>
    onOverShare(memberId, 'player-pings', 'delayed'),
  )
  /** Connections on which nothing but the fingerprint came, as from Terracotta's guests before they ask for the port. */
  const bare = new WeakSet<RoomCaller>()
  return {
    'c:ping': (body, caller) => {
      if (equalBytes(body, FINGERPRINT)) bare.add(caller)
      return body.length <= MAX_ECHO ? ok(body) : failed(`At most ${MAX_ECHO} bytes are echoed.`)
    },
    'c:protocols': (body, caller) => {
      bare.delete(caller)
      const known = new TextDecoder().decode(body).split('\0')
      return ok(encodeProtocols([...COMMANDS, ...offered.filter((name) => known.includes(name))]))
    },
    'c:server_port': async (body, caller) => {
      const isWaiting = admission.accessOf(caller.memberId) === 'waiting'
      // Pings count for nothing while the host has not let the guest in.
      const patienceMs = bare.has(caller) || isWaiting ? LONG_HOLD_MS : HOLD_MS
      // Guests of this program ask again every second, and show meanwhile what they wait for.
      const isPolling = body.length > 0
      const port = await nextPort(dependencies, caller, isPolling ? 0 : patienceMs)
      if (port !== undefined) return ok(encodePort(port))
      return { status: isPolling && isWaiting ? STATUS.waiting : STATUS.notStarted, data: new Uint8Array(0) }
    },
    'c:player_ping': async (body, caller) => {
      const told = decodePlayer(body)
      bare.delete(caller)
      await pace(caller.memberId, caller.signal)
      const machineId = ids.idFor(told.machineId, caller)
      if (machineId === undefined) return ok()
      const player = { ...told, machineId }
      if (admission.admit(player, caller)) registry.ping(player, caller.memberId)
      return ok()
    },
    'c:player_profiles_list': (_body, { memberId }) => ok(encodeProfiles(playersFor(dependencies, memberId))),
  }
}

/** The port of the game; undefined while there is none, or the caller waits. @throws ServiceError `forbidden` when refused */
function portFor({ admission, gamePort }: CommandDependencies, { memberId }: RoomCaller): number | undefined {
  const access = admission.accessOf(memberId)
  if (access === 'refused') throw new ServiceError('forbidden', REFUSED)
  return access === 'admitted' ? gamePort() : undefined
}

/** Waits for such a port, for at most `holdMs`. @throws the signal's reason */
async function nextPort(
  dependencies: CommandDependencies,
  caller: RoomCaller,
  holdMs: number,
): Promise<number | undefined> {
  const { onGamePort, clock } = dependencies
  const until = clock.now() + holdMs
  const alarm = createAlarm(clock)
  const unsubscribe = onGamePort(alarm.wake)
  try {
    while (portFor(dependencies, caller) === undefined && clock.now() < until) {
      await alarm.wait(until - clock.now(), caller.signal)
    }
  } finally {
    unsubscribe()
  }
  return portFor(dependencies, caller)
}

/** A member that waits for approval sees only the host and itself. */
function playersFor({ registry, admission, ids }: CommandDependencies, memberId: string): readonly Profile[] {
  const players = registry.list()
  if (admission.accessOf(memberId) === 'admitted') return ids.seenBy(memberId, players)
  return ids.seenBy(memberId, [...players.slice(0, 1), ...admission.waitingOf(memberId)])
}

/**
 * The host's side of `lantern:identity`, as an extra command.
 * @example const extraCommands = identityCommand(createHostIdentity(secret, room))
 */
export function identityCommand(identity: HostIdentity): Commands {
  return {
    [IDENTITY_COMMAND]: (nonce) => {
      const proof = identity.prove(nonce)
      return proof ? ok(proof) : failed('The nonce must have 32 bytes.')
    },
  }
}

/**
 * Answers one request; an invalid one with status 255 and a text.
 * @param onDefect called with an unexpected error, which is answered with a fixed text
 */
export function createDispatcher(
  commands: ReadonlyMap<string, ProtocolCommand>,
  onDefect: (error: unknown, kind: string) => void,
): (request: RequestFrame, caller: RoomCaller) => Promise<ResponseFrame> {
  return async ({ kind, body }, caller) => {
    const command = commands.get(kind)
    if (!command) return failed(unknownText(kind))
    try {
      return await command(body, caller)
    } catch (error) {
      if (caller.signal.aborted) throw error
      if (error instanceof ServiceError) return failed(error.detail)
      onDefect(error, kind)
      return failed('The command failed.')
    }
  }
}

function unknownText(kind: string): string {
  return KIND.test(kind) ? `Unknown command ${kind}.` : 'The kind is not namespace:value.'
}

const MAX_ECHO = 31
const KIND = /^[a-z0-9_]+:[a-z0-9_]+$/

/** Requests of every kind: a guest sends one to three in 5 s, one a second while there is no world. */
export const REQUEST_RATE = { perSecond: 10, burst: 100 }
/** `c:player_ping`, by which players are registered and renamed. */
export const PLAYER_PING_RATE = { perSecond: 2, burst: 10 }

/**
 * Limits the rate of each member's requests, over all of its connections. One that comes too early is answered later, and
 * not refused: guests of other programs leave at a refusal.
 * @param onDelayed called with the member for each request that has to wait
 * @returns a function that resolves when the next request of a member may be answered, and throws the signal's reason
 */
export function createPace(
  clock: Clock,
  rate: { readonly perSecond: number; readonly burst: number },
  onDelayed: (memberId: string) => void,
): (memberId: string, signal: AbortSignal) => Promise<void> {
  const buckets = createTokenBuckets(clock, rate)
  return async (memberId, signal) => {
    if (memberId === THIS_MACHINE) return
    const ms = buckets.borrow(memberId)
    if (ms === 0) return
    onDelayed(memberId)
    await sleep(clock, ms, signal)
  }
}
