import { loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import { generateRoomCode } from '../../core/room/roomCode'
import { startRelayProcess } from '../support/relayProcess'
import { freePort, type ServerProcess, startServer } from '../support/serverProcess'

const MEGABYTES = 64
const ROUNDS = 2

type Outcome = { readonly seconds: number; readonly cpuSeconds: number }

/** One stream from host to guest, each a process of its own, on loopback; beside plain TCP between two processes. */
export async function benchRoomThroughput(): Promise<void> {
  console.log(`\none stream from host to guest, ${MEGABYTES} MB, loopback (CPU of both ends)`)
  const relay = await startRelayProcess()
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const port = String(await freePort())
      await show('plain TCP', () => transfer(['plainHost', 'plainGuest'], ['tcp', port, '']))
      for (const way of ['tcp', 'udp', 'relay'])
        await show(way === 'relay' ? 'relayed by tcp' : `direct by ${way}`, () =>
          transfer(['host', 'guest'], [way, generateRoomCode().text, relay.url]),
        )
    }
  } finally {
    await relay.close()
  }
}

async function show(title: string, work: () => Promise<readonly Outcome[]>): Promise<void> {
  const outcomes = await work()
  const seconds = Math.max(...outcomes.map((one) => one.seconds))
  const cpu = outcomes.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0)
  console.log(
    `  ${title.padEnd(16)}${(MEGABYTES / seconds).toFixed(0).padStart(6)} MB/s` +
      `${((cpu * 1000) / MEGABYTES).toFixed(1).padStart(8)} CPU s/GB   load ${loadavg()[0]?.toFixed(1)}`,
  )
}

async function transfer(
  [hostRole, guestRole]: readonly [string, string],
  [way, place, relay]: readonly [string, string, string],
): Promise<readonly Outcome[]> {
  const bytes = String(MEGABYTES * 1e6)
  const host = start([hostRole, way, bytes, place, relay])
  let guest: ServerProcess | undefined
  try {
    await host.said(/^ready$/m)
    guest = start([guestRole, way, bytes, place, relay])
    await guest.said(/^ready$/m)
    guest.signal('SIGUSR2')
    return await Promise.all(
      [host, guest].map(async (one) => JSON.parse((await one.said(DONE, 300_000))[1] ?? '')),
    )
  } finally {
    for (const one of [host, guest]) {
      one?.signal('SIGKILL')
      await one?.ended
    }
  }
}

const DONE = /^(\{"event":"done".*)$/m

function start(args: readonly string[]): ServerProcess {
  const worker = fileURLToPath(import.meta.url.replace(/\/tests\/.*$/, '/tests/support/overlayWorker.mjs'))
  return startServer([worker, ...args], {})
}
