import type { Socket } from 'node:net'
import type { ServerPing } from '#core/room/game/ports'
import type { GameStatus, ProbeGame } from '#core/room/ports'
import { collectBytes } from '../localNet/collectBytes'
import { connectTcp } from '../localNet/connectTcp'

export type GameProbeOptions = {
  /** Tried in order before a plain connect. */
  readonly pings: readonly ServerPing[]
  readonly timeoutMs?: number
}

type Place = Parameters<ProbeGame>[0]

/** More bytes than any ping reads. */
const MAX_ANSWER = 1024 * 1024

/**
 * Tries each ping in turn, each on a connection of its own, and finally whether the server accepts connections. Each
 * ping gets half of the remaining time, and the connect the rest. A refused connection ends the probe, since the next
 * one would be refused as well. Rejects with the signal's reason when that aborts.
 */
export function createGameProbe({ pings, timeoutMs = 3000 }: GameProbeOptions): ProbeGame {
  return async (at, signal) => {
    const endsAt = performance.now() + timeoutMs
    for (const ping of pings) {
      const answer = await ask(at, ping, Math.max(1, (endsAt - performance.now()) / 2), signal)
      if (answer === 'refused') return undefined
      if (answer !== 'silent') return answer
    }
    return connects(at, Math.max(1, endsAt - performance.now()), signal)
  }
}

async function ask(
  at: Place,
  ping: ServerPing,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<GameStatus | 'silent' | 'refused'> {
  const startedAt = performance.now()
  try {
    const socket = await connectTcp({ host: at.address, port: at.port }, timeoutMs, signal)
    const left = timeoutMs - (performance.now() - startedAt)
    return (await exchange(socket, ping, at, left, signal)) ?? 'silent'
  } catch (error) {
    signal.throwIfAborted()
    return isRefusal(error) ? 'refused' : 'silent'
  }
}

/** The answer, or undefined when it is invalid, cut off or late. The socket is closed when it resolves or rejects. */
function exchange(
  socket: Socket,
  ping: ServerPing,
  at: Place,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<GameStatus | undefined> {
  return new Promise((resolve, reject) => {
    const received = collectBytes(MAX_ANSWER)
    let status: GameStatus | undefined
    const stop = () => socket.destroy()
    const timer = setTimeout(stop, Math.max(1, timeoutMs))
    signal.addEventListener('abort', stop, { once: true })
    socket.on('data', (bytes: Uint8Array) => {
      if (socket.destroyed) return
      const answer = received.add(bytes) ? ping.read(received.bytes()) : 'invalid'
      if (answer === 'partial') return
      status = answer === 'invalid' ? undefined : answer
      stop()
    })
    socket.on('error', () => {})
    socket.once('end', stop)
    socket.once('close', () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      if (signal.aborted) reject(signal.reason)
      else resolve(status)
    })
    if (signal.aborted) stop()
    else socket.write(ping.request(at))
  })
}

async function connects(at: Place, timeoutMs: number, signal: AbortSignal): Promise<GameStatus | undefined> {
  try {
    const socket = await connectTcp({ host: at.address, port: at.port }, timeoutMs, signal)
    socket.on('error', () => {}).destroy()
  } catch {
    signal.throwIfAborted()
    return undefined
  }
  return {
    by: 'connect',
    motd: undefined,
    version: undefined,
    onlinePlayers: undefined,
    maxPlayers: undefined,
  }
}

function isRefusal(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EINVAL'].includes(String(code))
}
