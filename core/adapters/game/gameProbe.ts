import { createSocket } from 'node:dgram'
import { isIPv6, type Socket } from 'node:net'
import { systemCode } from '@lantern-room/base'
import type { Clock } from '@lantern-room/base/async'
import { createDeferred, onAbort, raceSignal, repeat, withDeadline } from '@lantern-room/base/async'
import { createByteBuffer } from '@lantern-room/base/bytes'
import type { DatagramPing, GameStatus, ProbeGame, ServerPing } from '@lantern-room/game/ports'
import { connectTcp } from '../network/connectTcp'

export type GameProbeOptions = {
  /** Tried in order before a plain connect. */
  readonly pings: readonly ServerPing[]
  /** Tried at last, when no ping was answered. @default none: worlds of the Bedrock edition are not found */
  readonly datagramPing?: DatagramPing
  /** For all that is tried by TCP. @default 3000 */
  readonly timeoutMs?: number
  readonly clock: Clock
}

type Address = Parameters<ProbeGame>[0]

const DATAGRAM_MS = 1000
/** More than any ping answers. */
const MAX_ANSWER = 1024 * 1024

/**
 * Asks a game server by each ping in turn, each on a connection of its own, and at last only whether it accepts connections.
 * Each ping gets half of the remaining time, and the connect the rest. A refused connection ends the probe, since the next one
 * would be refused as well. Where no ping was answered, the one by datagram has another second.
 * @returns resolves with undefined when nothing answers; rejects with the signal's reason alone
 * @example
 * const probe = createGameProbe({ pings: [modernPing, legacyPing], datagramPing: raknetPing, clock })
 * const status = await probe({ address: '127.0.0.1', port: 25_565 }, signal)
 */
export function createGameProbe(options: GameProbeOptions): ProbeGame {
  const { pings, datagramPing, timeoutMs = 3000, clock } = options
  return async (at, signal) => {
    const status = await askByTcp(at, signal)
    if (!datagramPing || (status && status.by !== 'connect')) return status
    const ask = (late: AbortSignal) => askByDatagram(at, datagramPing, clock, late)
    return statusOf(await limited(DATAGRAM_MS, signal, ask)) ?? status
  }

  async function askByTcp(at: Address, signal: AbortSignal): Promise<GameStatus | undefined> {
    const endsAt = clock.now() + timeoutMs
    for (const ping of pings) {
      const answer = await limited((endsAt - clock.now()) / 2, signal, (late) => exchange(ping, at, late))
      if (answer === 'refused') return undefined
      if (answer !== undefined) return answer
    }
    return statusOf(await limited(endsAt - clock.now(), signal, (late) => connectOnly(at, late)))
  }

  /** @returns undefined for what fails otherwise, or takes too long. @throws the signal's reason */
  async function limited(
    ms: number,
    signal: AbortSignal,
    ask: (late: AbortSignal) => Promise<GameStatus | undefined>,
  ): Promise<GameStatus | 'refused' | undefined> {
    try {
      return await withDeadline(clock, ms, signal, () => new Error('no answer in time'), ask)
    } catch (error) {
      signal.throwIfAborted()
      return REFUSALS.has(systemCode(error) ?? '') ? 'refused' : undefined
    }
  }
}

function statusOf(answer: GameStatus | 'refused' | undefined): GameStatus | undefined {
  return answer === 'refused' ? undefined : answer
}

const REFUSALS: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'EINVAL',
])

/** The answer, or undefined when it is invalid or cut off. The socket is closed when it resolves or rejects. */
async function exchange(ping: ServerPing, at: Address, signal: AbortSignal): Promise<GameStatus | undefined> {
  const socket = await connectTcp(at, { signal })
  const unsubscribe = onAbort(signal, () => socket.destroy())
  const closed = new Promise((resolve) => socket.on('error', () => {}).once('close', resolve))
  try {
    socket.write(ping.request(at))
    return await receiveStatus(socket, ping).catch(() => undefined)
  } finally {
    unsubscribe()
    socket.destroy()
    await closed
    signal.throwIfAborted()
  }
}

async function receiveStatus(socket: Socket, ping: ServerPing): Promise<GameStatus | undefined> {
  const received = createByteBuffer()
  for await (const bytes of socket as AsyncIterable<Uint8Array>) {
    received.append(bytes)
    const answer = received.size() > MAX_ANSWER ? 'invalid' : ping.read(received.view())
    if (answer !== 'partial') return answer === 'invalid' ? undefined : answer
  }
  return undefined
}

async function connectOnly(at: Address, signal: AbortSignal): Promise<GameStatus> {
  const socket = await connectTcp(at, { signal })
  socket.on('error', () => {}).destroy()
  return {
    by: 'connect',
    motd: undefined,
    version: undefined,
    onlinePlayers: undefined,
    maxPlayers: undefined,
  }
}

/** A datagram may get lost. */
const AGAIN_MS = 300

/** Asks by one datagram, again while nothing answers. @returns undefined when the port is closed. @throws the signal's reason */
async function askByDatagram(
  { address, port }: Address,
  ping: DatagramPing,
  clock: Clock,
  signal: AbortSignal,
): Promise<GameStatus | undefined> {
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4')
  const answered = createDeferred<GameStatus | undefined>()
  let stopAsking = () => {}
  // A closed port of this machine says so.
  socket.on('error', () => answered.resolve(undefined))
  socket.on('message', (bytes) => {
    const status = ping.read(bytes)
    if (status) answered.resolve(status)
  })
  socket.connect(port, address, () => {
    stopAsking = repeat(clock, AGAIN_MS, signal, () => socket.send(ping.request(), () => {}))
  })
  try {
    return await raceSignal(answered.promise, signal)
  } finally {
    stopAsking()
    socket.close()
  }
}
