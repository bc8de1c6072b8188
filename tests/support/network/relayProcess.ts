import { join } from 'node:path'
import { freePort, projectRoot, type ServerProcess, startCommand } from '../process/serverProcess'

export type RelayProcess = Awaited<ReturnType<typeof startRelayProcess>>

/** Where a program listens, and what is put before its command so that it runs there. */
type Place = { readonly address: string; readonly inside: readonly string[] }

/** Flags of a relay that forwards as fast as its machine can. */
export const AS_FAST_AS_IT_CAN = ['--bytes-per-second', '10000000000']

/**
 * The command `room relay`, by tcp alone.
 * @param at where it listens; loopback unless it is put elsewhere with `inside`
 * @param more flags
 */
export async function startRelayProcess(
  at: Place = { address: '127.0.0.1', inside: [] },
  more: readonly string[] = [],
) {
  const port = at.inside.length > 0 ? 11_010 : await freePort()
  const start = () => runRelay(at, ['--tcp', String(port), '--udp', '0', '--ws', '0', ...more])
  let running = await start()
  return {
    /** For ROOM_NODES. */
    url: `tcp://${at.address}:${port}`,
    /** Of the process that runs now. */
    pid: () => running.pid,
    /** As a machine that loses its power. */
    kill: () => running.end('SIGKILL'),
    /** The same again after `kill`, on the same port. */
    async restart() {
      running = await start()
    },
    close: () => running.end(),
  }
}

/** The command `room relay` as it is. It listens when this resolves. */
export async function runRelay(at: Place, flags: readonly string[]): Promise<ServerProcess> {
  const program = join(projectRoot, 'dist/local-runner/room.mjs')
  const relay = startCommand([
    ...at.inside,
    process.execPath,
    program,
    'relay',
    '--host',
    at.address,
    ...flags,
  ])
  await relay.said(/"event":"listening"/)
  return relay
}
