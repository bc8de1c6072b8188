import { networkInterfaces } from 'node:os'
import { untilAborted } from '#core/async/onAbort'
import { repeat } from '#core/async/repeat'
import { encodeAnnouncement } from '#core/room/game/announcement'
import type { LanAnnouncer } from '#core/room/ports'
import { type MulticastInterface, multicastInterfaces, reportOnce } from '../network/multicastInterfaces'
import { type LanOptions, RESCAN_MS } from '../network/networkInterfaces'
import { createSender, FORWARD_SOURCE_PORT, LAN_HOPS, type Sender, type SenderOptions } from './sender'

/** The interval that games use. */
const EVERY_MS = 1500

const SENDER: Readonly<Record<'forward' | 'game', SenderOptions>> = {
  forward: { sourcePort: FORWARD_SOURCE_PORT, maxHops: 0 },
  game: { sourcePort: 0, maxHops: LAN_HOPS },
}

/** Announces a world through every interface, in IPv4 and IPv6; the first time at once. */
export function createLanAnnouncer(
  options: LanOptions & {
    /**
     * A forward is announced on this machine only, because it can be used from there only; all listeners of this software
     * recognise it, and do not list it. Default `forward`.
     */
    readonly as?: 'forward' | 'game'
  },
): LanAnnouncer {
  const { clock, log, interfaces, networkInterfaces: scan = networkInterfaces } = options
  const sender = SENDER[options.as ?? 'forward']
  return {
    async announce(world, signal) {
      if (signal.aborted) return
      const report = reportOnce(log)
      const datagram = encodeAnnouncement(world)
      const senders = createSenders((one) => createSender(one, sender, report))
      let scannedAt = Number.NEGATIVE_INFINITY
      repeat(clock, EVERY_MS, signal, () => {
        if (clock.now() - scannedAt >= RESCAN_MS) {
          senders.update(multicastInterfaces(scan(), interfaces, process.platform))
          scannedAt = clock.now()
        }
        senders.send(datagram)
      })
      await untilAborted(signal)
      await senders.close()
    },
  }
}

/** One sender for each interface. */
function createSenders(open: (one: MulticastInterface) => Sender) {
  const senders = new Map<string, Sender>()
  const closing = new Set<Promise<void>>()

  return {
    /** Opens senders for new interfaces, closes those of absent ones, and replaces broken ones. */
    update(interfaces: readonly MulticastInterface[]): void {
      const names = new Set(interfaces.map(({ multicast }) => multicast))
      const unusable = [...senders].filter(([name, { isBroken }]) => isBroken || !names.has(name))
      for (const [name, sender] of unusable) drop(name, sender)
      const missing = interfaces.filter(({ multicast }) => !senders.has(multicast))
      for (const one of missing) senders.set(one.multicast, open(one))
    },
    send(datagram: Uint8Array): void {
      for (const sender of senders.values()) sender.send(datagram)
    },
    async close(): Promise<void> {
      for (const [name, sender] of senders) drop(name, sender)
      await Promise.all(closing)
    },
  }

  function drop(name: string, sender: Sender): void {
    senders.delete(name)
    const done = sender.close()
    closing.add(done)
    void done.then(() => closing.delete(done))
  }
}
