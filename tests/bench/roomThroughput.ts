import { loadavg } from 'node:os'
import { generateRoomCode } from '@lantern-room/room'
import { AS_FAST_AS_IT_CAN, startRelayProcess } from '#support/network/relayProcess'
import { freePort, type ServerProcess, startWorker } from '#support/process/serverProcess'

/** At first V8 compiles what it finds busy, about 0.2 s of CPU time in each process: of 64 MB a quarter of the figure. */
const MEGABYTES = 256
const ROUNDS = 2

/** What one end tells. */
type End = { readonly seconds: number; readonly cpuSeconds: number; readonly megabytes: number }
type Outcome = {
  readonly host: End
  /** Round trips of a small message, without and beside the transfer; medians in milliseconds. */
  readonly guest: End & { readonly idleMs: number; readonly busyMs: number }
}

/** One stream from host to guest, each a process of its own, on loopback; beside plain TCP between two processes. */
export async function benchRoomThroughput(): Promise<void> {
  console.log(
    `\none stream from host to guest, ${MEGABYTES} MB, loopback; small messages to and fro before it and beside it`,
  )
  // What one room may relay is a setting; here the machine is measured.
  const relay = await startRelayProcess(undefined, AS_FAST_AS_IT_CAN)
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const port = String(await freePort())
      const plain = await transfer(['plainHost', 'plainGuest'], ['tcp', port, ''])
      show('plain TCP', plain, plain)
      for (const way of ['tcp', 'udp', 'relay']) {
        const outcome = await transfer(['host', 'guest'], [way, generateRoomCode().text, relay.url])
        show(way === 'relay' ? 'relayed by tcp' : `direct by ${way}`, outcome, plain)
      }
    }
  } finally {
    await relay.close()
  }
}

function show(title: string, outcome: Outcome, plain: Outcome): void {
  const { host, guest } = outcome
  const perGigabyte = (end: End) => ((end.cpuSeconds * 1000) / MEGABYTES).toFixed(1)
  const added = Math.max(0, guest.idleMs - plain.guest.idleMs)
  console.log(
    `  ${title.padEnd(15)}${speedOf(outcome).toFixed(0).padStart(5)} MB/s (${(speedOf(outcome) / speedOf(plain)).toFixed(2)} of plain)` +
      `  CPU s/GB: host ${perGigabyte(host).padStart(5)}, guest ${perGigabyte(guest).padStart(5)}` +
      `  at most ${host.megabytes.toFixed(0)} and ${guest.megabytes.toFixed(0)} MB` +
      `  small: ${guest.idleMs.toFixed(2)} ms (+${added.toFixed(2)}), beside it ${guest.busyMs.toFixed(1)} ms` +
      `  load ${loadavg()[0]?.toFixed(1)}`,
  )
}

export function speedOf({ host, guest }: Outcome): number {
  return MEGABYTES / Math.max(host.seconds, guest.seconds)
}

export async function transfer(
  [hostRole, guestRole]: readonly [string, string],
  [way, place, relay]: readonly [string, string, string],
): Promise<Outcome> {
  const bytes = String(MEGABYTES * 1e6)
  const host = start([hostRole, way, bytes, place, relay])
  let guest: ServerProcess | undefined
  try {
    await host.said(/^ready$/m)
    guest = start([guestRole, way, bytes, place, relay])
    await guest.said(/^ready$/m)
    guest.signal('SIGUSR2')
    const [ofHost, ofGuest] = await Promise.all(
      [host, guest].map(async (one) => JSON.parse((await one.said(DONE, 300_000))[1] ?? '')),
    )
    return { host: ofHost, guest: ofGuest }
  } finally {
    for (const one of [host, guest]) await one?.end('SIGKILL')
  }
}

const DONE = /^(\{"event":"done".*)$/m

function start(args: readonly string[]): ServerProcess {
  return startWorker('network/networkWorker', args)
}
