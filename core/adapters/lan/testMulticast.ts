import { randomUUID } from 'node:crypto'
import { networkInterfaces } from 'node:os'
import type { Clock } from '@lantern-room/base/async'
import { createDeferred, repeat } from '@lantern-room/base/async'
import { multicastInterfaces } from '../network/multicastInterfaces'
import { interfaceAddresses } from '../network/networkInterfaces'
import { createReceiver } from './receiver'
import { createSender, GAME_SENDER } from './sender'

/** A datagram may be lost: it is sent again. */
const REPEAT_MS = 200

/**
 * Sends a datagram to the group of the games' LAN announcements on each IPv4 interface, and receives it again. It is no
 * announcement, so games ignore it.
 * @param options.interfaces addresses or names; undefined = all
 * @param options.limitMs milliseconds
 * @returns one result for each interface, named by its IPv4 address, at the latest after `limitMs`; without a `problem` the
 *   datagram was received
 * @example
 * const results = await testMulticast({ interfaces: undefined, limitMs: 3000, clock })
 * const broken = results.filter(({ problem, isLoopback }) => problem !== undefined && !isLoopback)
 */
export async function testMulticast(options: {
  readonly interfaces: readonly string[] | undefined
  readonly limitMs: number
  readonly clock: Clock
}) {
  const { interfaces, limitMs, clock } = options
  const all = networkInterfaces()
  const chosen = multicastInterfaces(all, interfaces, process.platform).filter(
    ({ family }) => family === 'ipv4',
  )
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
  const senders = new Map(chosen.map((one) => [one.multicast, createSender(one, GAME_SENDER, report)]))
  const over = new AbortController()
  if (chosen.length === 0) finished.resolve()
  repeat(clock, REPEAT_MS, over.signal, () => {
    for (const [text, where] of texts)
      if (!received.has(where)) senders.get(where)?.send(new TextEncoder().encode(text))
  })
  const cancelLimit = clock.after(limitMs, finished.resolve)
  await finished.promise
  over.abort()
  cancelLimit()
  await Promise.all([receiver.close(), ...[...senders.values()].map((sender) => sender.close())])
  return chosen.map(({ multicast }) => ({
    interface: multicast,
    isLoopback: interfaceAddresses(all).some(({ info }) => info.internal && info.address === multicast),
    problem: received.has(multicast)
      ? undefined
      : (problems.get(multicast) ?? problems.get('all') ?? 'the datagram was not received'),
  }))
}
