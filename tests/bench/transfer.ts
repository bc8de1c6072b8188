import { type ServerProcess, startWorker } from '#support/process/serverProcess'
import { median } from './measure'

export type Outcome = {
  readonly megabytesPerSecond: number
  /** Without the first second, in which a stream finds its rate and the engine its code. */
  readonly steady: number
  /** Of both ends. */
  readonly cpuPerGigabyte: number
  /** Of the larger end, in MB. */
  readonly memory: number
  readonly idle: readonly number[]
  readonly busy: readonly number[]
  readonly perSecond: readonly number[]
}

/** Where an end runs: what is put before its command. */
type Place = { readonly inside: readonly string[] }

/** `down`: from host to guest. */
export type Direction = 'down' | 'up'

/**
 * One stream for so long, with small questions of the guest before it and beside it.
 * @param way and `place`: as transferWorker.ts takes them
 */
export async function transfer(
  { host: hosting, guest: visiting }: { readonly host: Place; readonly guest: Place },
  way: string,
  place: string,
  seconds: number,
  direction: Direction = 'down',
): Promise<Outcome> {
  const host = start(hosting, ['host', way, place])
  let guest: ServerProcess | undefined
  try {
    await host.said(/^ready$/m)
    guest = start(visiting, ['guest', way, place, String(seconds), direction])
    const [guests, hosts] = await Promise.all(
      [guest, host].map(async (one) => JSON.parse((await one.said(DONE, 60_000))[1] ?? '')),
    )
    const { received, took, perSecond } = direction === 'down' ? guests : hosts
    return {
      megabytesPerSecond: received / took / 1e6,
      steady: mean(perSecond.slice(1, seconds)) / 1e6,
      cpuPerGigabyte: ((guests.cpuSeconds + hosts.cpuSeconds) * 1e9) / received,
      memory: Math.max(guests.memory, hosts.memory),
      idle: guests.idle,
      busy: guests.busy,
      perSecond,
    }
  } finally {
    for (const one of [guest, host]) {
      await one?.end('SIGKILL')
    }
  }
}

const DONE = /^(\{"event":"done".*)$/m

function start({ inside }: Place, args: readonly string[]): ServerProcess {
  return startWorker('bench/transferWorker', args, inside)
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** Median, and what 19 of 20 stay below. */
export function spread(times: readonly number[]): string {
  return `${median(times).toFixed(1)} (95 %: ${quantile(times, 0.95).toFixed(1)})`
}

/** What this share of the values stays below. */
export function quantile(values: readonly number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN
}
