import { randomUUID } from 'node:crypto'
import { networkInterfaces } from 'node:os'
import type { Clock } from '#core/async/clock'
import { createDeferred } from '#core/async/deferred'
import { type MulticastInterface, multicastInterfaces } from '../network/multicastInterfaces'
import { interfaceAddresses, type NetworkInterfaces } from '../network/networkInterfaces'
import { createReceiver } from './receiver'
import { createSender, LAN_HOPS } from './sender'

export type MulticastResult = {
  /** Its IPv4 address. */
  readonly interface: string
  readonly isLoopback: boolean
  /** Undefined = the datagram was received. */
  readonly problem: string | undefined
}

/** A datagram may be lost: it is sent again. */
const REPEAT_MS = 200

/**
 * Sends a datagram to the group of the games' LAN announcements on each IPv4 interface, and receives it again. It is no
 * announcement, so games ignore it.
 * @param options.interfaces addresses or names; undefined = all
 * @returns one result for each interface, at the latest after `limitMs`
 */
export async function testMulticast(options: {
  readonly interfaces: readonly string[] | undefined
  readonly limitMs: number
  readonly clock: Clock
  readonly networkInterfaces?: () => NetworkInterfaces
}): Promise<readonly MulticastResult[]> {
  const { interfaces, limitMs, clock, networkInterfaces: scan = networkInterfaces } = options
  const all = scan()
  const chosen = multicastInterfaces(all, interfaces, process.platform).filter(isIpv4)
  const problems = new Map<string, string>()
  const texts = new Map(chosen.map(({ multicast }) => [`room doctor ${randomUUID()}`, multicast]))
  const received = new Set<string>()
  const finished = createDeferred()
  const report = (_what: string, _family: string, where: string, error: unknown) =>
    void problems.set(where, error instanceof Error ? error.message : String(error))

  const receiver = createReceiver(
    'ipv4',
    (bytes) => {
      const where = texts.get(new TextDecoder().decode(bytes))
      if (where === undefined) return
      received.add(where)
      if (received.size === chosen.length) finished.resolve()
    },
    report,
  )
  receiver.join(chosen.map(({ multicast }) => multicast))
  const senders = new Map(
    chosen.map((one) => [one.multicast, createSender(one, { sourcePort: 0, maxHops: LAN_HOPS }, report)]),
  )
  let cancel = () => {}
  const send = () => {
    for (const [text, where] of texts)
      if (!received.has(where)) senders.get(where)?.send(new TextEncoder().encode(text))
    cancel = clock.after(REPEAT_MS, send)
  }
  if (chosen.length === 0) finished.resolve()
  else send()
  const cancelLimit = clock.after(limitMs, finished.resolve)
  await finished.promise
  cancel()
  cancelLimit()
  await Promise.all([receiver.close(), ...[...senders.values()].map((sender) => sender.close())])
  return chosen.map(({ multicast }) => ({
    interface: multicast,
    isLoopback: isInternal(all, multicast),
    problem: received.has(multicast)
      ? undefined
      : (problems.get(multicast) ?? problems.get('all') ?? 'the datagram was not received'),
  }))
}

function isIpv4({ family }: MulticastInterface): boolean {
  return family === 'ipv4'
}

function isInternal(all: NetworkInterfaces, address: string): boolean {
  return interfaceAddresses(all).some(({ info }) => info.internal && info.address === address)
}
