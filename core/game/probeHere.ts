import { isVerified } from './game'
import type { GameStatus, ProbeGame } from './ports'

/** A program of this machine that answers like a game, or accepts connections, and its address. */
export type AnswerHere = { readonly address: string; readonly status: GameStatus }

/** Asks the game at one address. */
export async function askAt(
  probe: ProbeGame,
  at: Parameters<ProbeGame>[0],
  signal: AbortSignal,
): Promise<AnswerHere | undefined> {
  const status = await probe(at, signal)
  return status && { address: at.address, status }
}

/**
 * Asks the game on a port of this machine, wherever it is bound.
 * @param first the address to ask before the others. @default 127.0.0.1
 * @returns undefined when nothing answers; rejects with the signal's reason
 */
export type ProbeHere = (port: number, signal: AbortSignal, first?: string) => Promise<AnswerHere | undefined>

const LOOPBACK = '127.0.0.1'
/** A machine with containers has an address in each of their networks. */
const MAX_ADDRESSES = 16

/**
 * Most games listen on every address, and are asked once. Where the first address refuses, the game may be bound to another one
 * (`server-ip`, or IPv6 alone): these are asked at the same time, and the first one in order that answers a ping counts.
 * @example await createProbeHere(probe, machine.addresses)(25565, signal)
 */
export function createProbeHere(probe: ProbeGame, addresses: () => readonly string[]): ProbeHere {
  return async (port, signal, first = LOOPBACK) => {
    const answer = await askAt(probe, { address: first, port }, signal)
    if (answer) return answer
    const others = addresses().filter((address) => address !== first)
    const answers = await Promise.all(
      others.slice(0, MAX_ADDRESSES).map((address) => askAt(probe, { address, port }, signal)),
    )
    return answers.find((one) => isVerified(one?.status)) ?? answers.find((one) => one !== undefined)
  }
}
