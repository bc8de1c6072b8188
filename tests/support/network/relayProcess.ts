import { join } from 'node:path'
import { freePort, projectRoot, startServer } from '../process/serverProcess'

export type RelayProcess = {
  /** For ROOM_NODES. */
  readonly url: string
  /** Of the process that runs now. */
  pid(): number
  /** As a machine that loses its power. */
  kill(): Promise<void>
  /** The same again after `kill`, on the same port. */
  restart(): Promise<void>
  close(): Promise<void>
}

/** Flags of a relay that forwards as fast as its machine can. */
export const AS_FAST_AS_IT_CAN = ['--bytes-per-second', '10000000000', '--address-bytes-per-second', '0']

/**
 * The command `room relay`, by tcp alone.
 * @param at where it listens; loopback unless it is put elsewhere with `inside`
 * @param more flags
 */
export async function startRelayProcess(
  at: { readonly address: string; readonly inside: readonly string[] } = { address: '127.0.0.1', inside: [] },
  more: readonly string[] = [],
): Promise<RelayProcess> {
  const port = at.inside.length > 0 ? 11_010 : await freePort()
  let running = await start()
  return {
    url: `tcp://${at.address}:${port}`,
    pid: () => running.pid,
    async kill() {
      running.signal('SIGKILL')
      await running.ended
    },
    async restart() {
      running = await start()
    },
    async close() {
      running.signal('SIGTERM')
      await running.ended
    },
  }

  async function start() {
    const program = join(projectRoot, 'dist/local-runner/room.mjs')
    const flags = ['--tcp', String(port), '--udp', '0', '--ws', '0', '--host', at.address, ...more]
    const [file = '', ...args] = [...at.inside, process.execPath, program, 'relay', ...flags]
    const relay = startServer(args, {}, file)
    await relay.said(new RegExp(`:${port}`))
    return relay
  }
}
