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

/**
 * One stream from host to guest for so long, with small questions before it and beside it.
 * @param way and `place`: as transferWorker.ts takes them
 */
export async function transfer(
  { host: hosting, guest: visiting }: { readonly host: Place; readonly guest: Place },
  way: string,
  place: string,
  seconds: number,
): Promise<Outcome> {
  const host = start(hosting, ['host', way, place])
  let guest: ServerProcess | undefined
  try {
    await host.said(/^ready$/m)
    guest = start(visiting, ['guest', way, place, String(seconds)])
    const [received, sent] = await Promise.all(
      [guest, host].map(async (one) => JSON.parse((await one.said(DONE, 60_000))[1] ?? '')),
    )
    return {
      megabytesPerSecond: received.received / received.took / 1e6,
      steady: mean(received.perSecond.slice(1, seconds)) / 1e6,
      cpuPerGigabyte: ((received.cpuSeconds + sent.cpuSeconds) * 1e9) / received.received,
      memory: Math.max(received.memory, sent.memory),
      idle: received.idle,
      busy: received.busy,
      perSecond: received.perSecond,
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
  const sorted = [...times].sort((a, b) => a - b)
  return `${median(times).toFixed(1)} (95 %: ${sorted[Math.floor(sorted.length * 0.95)]?.toFixed(1)})`
}
