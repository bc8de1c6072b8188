import { until } from '#support/values/until'
import { AS_FAST_AS_IT_CAN, runRelay } from '../network/relayProcess'
import { openTogether } from '../process/closing'
import { type Settings, startWorker } from '../process/serverProcess'
import { type RoomProcess, startRoomProcess } from '../room/roomProcess'
import type { NatPlace } from './natWorld'

export type Joined = {
  /** From the order to join until the world has answered through the forward. */
  readonly okMs: number | undefined
  /** Until the path was as wanted. */
  readonly pathMs: number | undefined
  readonly carrier: string | undefined
  /** What both sides have logged meanwhile, in order, with the time since the order. */
  readonly timeline: readonly string[]
}

/** How a guest should reach the host: `relay` by whomever, `friend` by another player. */
export type WantedPath = 'direct' | 'relay' | 'friend'

export type NatRoom = {
  readonly host: RoomProcess
  readonly guest: RoomProcess
  /** Joins so often, and stays at last. */
  join(wanted: WantedPath, rounds: number, limitMs: number): Promise<readonly Joined[]>
  close(): Promise<void>
}

export type Meeting = {
  /** Of the shared node. */
  readonly pid: number
  /** For rooms that meet there. */
  readonly settings: Settings
  /** Ends the shared node as a machine that loses its power. */
  kill(): Promise<void>
  close(): Promise<void>
}

/** A shared node by tcp and udp, and STUN servers on two other addresses, on a machine of the internet. */
export async function openMeeting(
  place: NatPlace & { readonly addresses: readonly [string, ...string[]] },
): Promise<Meeting> {
  const [address, ...others] = place.addresses
  const flags = ['--tcp', '11010', '--udp', '11010', '--ws', '0', ...AS_FAST_AS_IT_CAN]
  const relay = await runRelay(place, flags)
  const stun = startWorker('support/namespaces/stunServerWorker', ['3478', ...others], place.inside)
  await stun.said(/^listening$/m)
  const servers = others.map((other) => `${other}:3478`).join(',')
  return {
    pid: relay.pid,
    settings: { ROOM_NODES: `udp://${address}:11010,tcp://${address}:11010`, ROOM_STUN: servers },
    kill: () => relay.end('SIGKILL'),
    async close() {
      await relay.end()
      await stun.end('SIGKILL')
    },
  }
}

/** Host and guest, each the built service on a machine of its own. The room is open when it resolves. */
export function openNatRoom(
  places: { readonly host: Pick<NatPlace, 'inside'>; readonly guest: Pick<NatPlace, 'inside'> },
  gamePort: number,
  settings: Settings,
): Promise<NatRoom> {
  const own = { ROOM_LAN_INTERFACES: '', LOG_LEVEL: 'debug', ...settings }
  return openTogether(async ({ keep, close }) => {
    const host = keep(await startRoomProcess({ inside: places.host.inside, settings: own }))
    const guest = keep(await startRoomProcess({ inside: places.guest.inside, settings: own }))
    const code = await host.host('Alex', { gamePort: String(gamePort) })
    await host.until('Host_Running')
    return {
      host,
      guest,
      close,
      async join(wanted, rounds, limitMs) {
        const order = [guest.url, code, ...[rounds, wanted, limitMs].map(String)]
        const watcher = startWorker('support/namespaces/natWatchWorker', order, places.guest.inside)
        try {
          await watcher.ended
        } finally {
          watcher.signal('SIGKILL')
        }
        const lines = watcher.stdout().trim().split('\n').filter(Boolean)
        if (lines.length < rounds) throw new Error(`${watcher.stderr()}\n${guest.process.stderr()}`)
        return lines.map((line, at) => joinedOf(JSON.parse(line), lines[at + 1], { host, guest }))
      },
    }
  })
}

/** Another guest of the room, who carries for the others. It is offered when it resolves. */
export function openFriend(
  { inside }: Pick<NatPlace, 'inside'>,
  { host }: Pick<NatRoom, 'host'>,
  settings: Settings,
): Promise<RoomProcess> {
  const own = { ROOM_LAN_INTERFACES: '', LOG_LEVEL: 'debug', ...settings, ROOM_FRIEND_RELAY: 'on' }
  return openTogether(async ({ keep }) => {
    const friend = keep(await startRoomProcess({ inside, settings: own }))
    await friend.join((await host.status()).roomCode ?? '', 'Kim')
    await friend.until('Guest_Running')
    const isOffered = async () => (await friend.status()).network?.friendRelay?.state === 'offered'
    await until('it is offered', isOffered, { ms: OFFERED_MS, everyMs: 50, story: friend.process.stderr })
    return friend
  })
}

const OFFERED_MS = 60_000

type Seen = {
  readonly startedAt: number
  readonly okMs?: number
  readonly pathMs?: number
  /** Each with the time since the order. */
  readonly states: readonly (readonly [number, string])[]
  readonly status?: { readonly network: { readonly carrier: string | null } | null }
}

function joinedOf(seen: Seen, next: string | undefined, rooms: Pick<NatRoom, 'host' | 'guest'>): Joined {
  const until = next === undefined ? Number.POSITIVE_INFINITY : (JSON.parse(next) as Seen).startedAt
  const entries = (['host', 'guest'] as const).flatMap((side) =>
    logOf(rooms[side]).map((entry) => ({ side, ...entry })),
  )
  const states = seen.states.map(([ms, text]) => ({ side: 'guest', time: seen.startedAt + ms, text }))
  const timeline = [...entries, ...states]
    .filter(({ time }) => time >= seen.startedAt && time < until)
    .sort((one, other) => one.time - other.time)
    .map(
      ({ side, time, text }) => `${String(time - seen.startedAt).padStart(6)} ms  ${side.padEnd(6)}${text}`,
    )
  return {
    okMs: seen.okMs,
    pathMs: seen.pathMs,
    timeline,
    carrier: seen.status?.network?.carrier ?? undefined,
  }
}

function logOf(room: RoomProcess): readonly { readonly time: number; readonly text: string }[] {
  return (
    room.process
      .stderr()
      .split('\n')
      // The launcher's own questions would drown the rest.
      .filter((line) => line.startsWith('{') && !line.includes('"message":"request"'))
      .map((line) => {
        const { time, message, level: _, ...fields } = JSON.parse(line) as Record<string, unknown>
        const rest = Object.keys(fields).length > 0 ? ` ${JSON.stringify(fields)}` : ''
        return { time: Date.parse(String(time)), text: `${message}${rest}` }
      })
  )
}
