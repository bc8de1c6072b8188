import { startWorker } from '../process/serverProcess'

/**
 * STUN by UDP and TCP, in a process that can be put into a network of its own.
 * @param addresses of that machine
 * @param inside put before the command, as `ip netns exec NAME`
 */
export async function startStunServer(
  addresses: readonly string[],
  inside: readonly string[] = [],
): Promise<{
  /** For ROOM_STUN. */
  readonly servers: string
  close(): Promise<void>
}> {
  const server = startWorker('namespaces/stunServerWorker', ['3478', ...addresses], inside)
  await server.said(/^listening$/m)
  return {
    servers: addresses.map((address) => `${address}:3478`).join(','),
    close: () => server.end('SIGKILL'),
  }
}
