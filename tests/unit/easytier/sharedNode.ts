import { createRelay } from '#core/easytier/relay/relay'
import type { FakeClock } from '#support/network/fakeClock'
import type { Prng } from '#support/values/prng'
import { silentLog } from '#support/values/testLog'
import type { VirtualMachine, VirtualNet } from '#support/virtualNet/virtualNet'

export type SharedNode = {
  readonly machine: VirtualMachine
  /** With which a network uses it. */
  readonly settings: { readonly nodes: readonly string[]; readonly stunServers: readonly string[] }
  close(): void
}

/** A shared node on the internet, and STUN servers beside it. @param accepts whether a network of this name may use it */
export async function openSharedNode({
  net,
  clock,
  random,
  address,
  delayMs = 0,
  accepts = () => true,
}: {
  readonly net: VirtualNet
  readonly clock: FakeClock
  readonly random: Prng
  readonly address: string
  readonly delayMs?: number
  readonly accepts?: (name: string) => boolean
}): Promise<SharedNode> {
  for (const last of [1, 2]) net.machine(`8.8.8.${last}`).serveStun()
  const relay = createRelay({
    hostname: 'node',
    version: '0',
    limits: { networks: 1, membersPerNetwork: 8, connectionsPerAddress: 8, bytesPerSecond: 1e9 },
    accepts,
    clock,
    randomBytes: random.fork('relay').bytes,
    log: silentLog(),
  })
  const serving = new AbortController()
  const machine = net.machine(address)
  machine.line.delayMs = delayMs
  await machine.transports.listenTcp(11_010, relay.take, serving.signal)
  return {
    machine,
    settings: { nodes: [`tcp://${address}:11010`], stunServers: ['8.8.8.1:3478', '8.8.8.2:3478'] },
    close() {
      serving.abort()
      relay.close()
    },
  }
}
