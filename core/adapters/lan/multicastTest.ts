import { randomUUID } from 'node:crypto'
import { networkInterfaces } from 'node:os'
import type { Clock } from '#core/clock'
import { chooseInterfaces, type LanInterface, type NetworkInterfaces } from './interfaces'
import { createReceiver } from './receiver'
import { createSender } from './sender'

export type MulticastResult = {
  /** Its IPv4 address. */
  readonly interface: string
  readonly isLoopback: boolean
  /** undefined = the datagram was received. */
  readonly problem: string | undefined
}

/** Three are sent, because datagrams get lost. */
const AGAIN_MS = 200

/**
 * Sends a datagram to the group of the games' LAN announcements on each IPv4 interface, and listens for it. It is not
 * an announcement, so games ignore it.
 * @param options.interfaces addresses or names; undefined = all
 * @returns one result per interface, at the latest after `limitMs`
 */
export async function testMulticast(options: {
  readonly interfaces: readonly string[] | undefined
  readonly limitMs: number
  readonly clock: Clock
  readonly networkInterfaces?: () => NetworkInterfaces
}): Promise<readonly MulticastResult[]> {
  const { interfaces, limitMs, clock, networkInterfaces: scan = networkInterfaces } = options
  const all = scan()
  const chosen = chooseInterfaces(all, interfaces, process.platform).filter(isIpv4)
  const problems = new Map<string, string>()
  const texts = new Map(chosen.map(({ multicast }) => [`room doctor ${randomUUID()}`, multicast]))
  const heard = new Set<string>()
  let tellAll = () => {}
  const everything = new Promise<void>((resolve) => {
    tellAll = resolve
  })
  const report = (_what: string, _family: string, where: string, error: unknown) =>
    void problems.set(where, error instanceof Error ? error.message : String(error))

  const receiver = createReceiver(
    'ipv4',
    (bytes) => {
      const where = texts.get(new TextDecoder().decode(bytes))
      if (where === undefined) return
      heard.add(where)
      if (heard.size === chosen.length) tellAll()
    },
    report,
  )
  receiver.join(chosen.map(({ multicast }) => multicast))
  const senders = chosen.map((one) => [one.multicast, createSender(one, 0, report)] as const)
  let cancel = () => {}
  const send = () => {
    for (const [text, where] of texts) {
      if (!heard.has(where))
        senders.find(([name]) => name === where)?.[1].send(new TextEncoder().encode(text))
    }
    cancel = clock.after(AGAIN_MS, send)
  }
  if (chosen.length === 0) tellAll()
  else send()
  const stopWaiting = clock.after(limitMs, tellAll)
  await everything
  cancel()
  stopWaiting()
  await Promise.all([receiver.close(), ...senders.map(([, sender]) => sender.close())])
  return chosen.map(({ multicast }) => ({
    interface: multicast,
    isLoopback: isInternal(all, multicast),
    problem: heard.has(multicast)
      ? undefined
      : (problems.get(multicast) ?? problems.get('all') ?? 'what was sent there was not heard'),
  }))
}

function isIpv4({ family }: LanInterface): boolean {
  return family === 'ipv4'
}

function isInternal(all: NetworkInterfaces, address: string): boolean {
  return Object.values(all).some((infos) => infos?.some((info) => info.internal && info.address === address))
}
