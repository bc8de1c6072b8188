import { createSocket } from 'node:dgram'
import { isIPv6, type Socket } from 'node:net'
import type { Clock } from '#core/async/clock'
import { withDeadline } from '#core/async/deadline'
import { onAbort } from '#core/async/onAbort'
import { createByteBuffer } from '#core/byteBuffer'
import { systemCode } from '#core/errors'
import type { DatagramPing, GameStatus, ProbeGame, ServerPing } from '#core/room/ports'
import { connectTcp } from '../network/connectTcp'

export type GameProbeOptions = {
  /** Tried in order before a plain connect. */
  readonly pings: readonly ServerPing[]
  /** Tried at last, when no ping was answered. */
  readonly datagramPing?: DatagramPing
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
 * would be refused as well. Where no ping was answered, the one by datagram has another second. Rejects with the signal's
 * reason when that aborts.
 */
export function createGameProbe(options: GameProbeOptions): ProbeGame {
  const { pings, datagramPing, timeoutMs = 3000, clock } = options
  return async (at, signal) => {
    const status = await askByTcp(at, signal)
    if (!datagramPing || (status && status.by !== 'connect')) return status
    return (await askByDatagram(at, datagramPing, DATAGRAM_MS, signal)) ?? status
  }

  async function askByTcp(at: Address, signal: AbortSignal): Promise<GameStatus | undefined> {
    const endsAt = clock.now() + timeoutMs
    for (const ping of pings) {
      const answer = await limited((endsAt - clock.now()) / 2, signal, (late) => exchange(ping, at, late))
      if (answer === 'refused') return undefined
      if (answer !== undefined) return answer
    }
    const answer = await limited(endsAt - clock.now(), signal, (late) => connectOnly(at, late))
    return answer === 'refused' ? undefined : answer
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

/**
 * Asks a game server by one datagram, again while nothing answers.
 * @returns undefined when nothing answers in time, or the port is closed
 * @throws the signal's reason
 */
export async function askByDatagram(
  { address, port }: { readonly address: string; readonly port: number },
  ping: DatagramPing,
  limitMs: number,
  signal: AbortSignal,
): Promise<GameStatus | undefined> {
  signal.throwIfAborted()
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4')
  const timers: NodeJS.Timeout[] = []
  let unsubscribe = () => {}
  try {
    return await new Promise<GameStatus | undefined>((resolve, reject) => {
      const send = () => socket.send(ping.request(), () => {})
      unsubscribe = onAbort(signal, () => reject(signal.reason))
      timers.push(
        setTimeout(() => resolve(undefined), limitMs),
        setInterval(send, AGAIN_MS),
      )
      // A closed port of this machine says so.
      socket.on('error', () => resolve(undefined))
      socket.on('message', (bytes) => {
        const status = ping.read(bytes)
        if (status) resolve(status)
      })
      socket.connect(port, address, send)
    })
  } finally {
    unsubscribe()
    for (const timer of timers) clearTimeout(timer)
    socket.close()
  }
}
