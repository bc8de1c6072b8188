import { networkInterfaces } from 'node:os'
import type { Clock } from '#core/clock'
import type { Log } from '#core/log'
import type { EncodeAnnouncement } from '#core/room/game/ports'
import type { LanAnnouncer } from '#core/room/ports'
import { FORWARD_SOURCE_PORT, RESCAN_MS } from './groups'
import { chooseInterfaces, type NetworkInterfaces } from './interfaces'
import { reportOnce } from './reportOnce'
import { createSender, type Sender } from './sender'

export type LanAnnouncerOptions = {
  readonly clock: Clock
  readonly log: Log
  /** Addresses or names of the interfaces to use; undefined = all. */
  readonly interfaces: readonly string[] | undefined
  readonly encode: EncodeAnnouncement
  readonly networkInterfaces?: () => NetworkInterfaces
  /** Listeners of this software recognise a forward and do not list it. Default `forward`. */
  readonly as?: 'forward' | 'game'
}

/** The interval of games. */
const EVERY_MS = 1500

/** Announces a world through every interface, in IPv4 and IPv6; the first time at once. */
export function createLanAnnouncer(options: LanAnnouncerOptions): LanAnnouncer {
  const { clock, log, interfaces, encode, networkInterfaces: scan = networkInterfaces } = options
  const sourcePort = options.as === 'game' ? 0 : FORWARD_SOURCE_PORT
  return {
    async announce(world, signal) {
      if (signal.aborted) return
      const report = reportOnce(log)
      const datagram = encode(world)
      const senders = new Map<string, Sender>()
      const closing = new Set<Promise<void>>()
      let scannedAt: number | undefined
      let cancel = () => {}

      const close = (name: string, sender: Sender) => {
        senders.delete(name)
        const done = sender.close()
        closing.add(done)
        void done.then(() => closing.delete(done))
      }
      const rescan = () => {
        const chosen = chooseInterfaces(scan(), interfaces, process.platform)
        const names = new Set(chosen.map(({ multicast }) => multicast))
        for (const [name, sender] of senders) if (!names.has(name) || sender.isBroken) close(name, sender)
        for (const one of chosen)
          if (!senders.has(one.multicast)) senders.set(one.multicast, createSender(one, sourcePort, report))
        scannedAt = clock.now()
      }
      const tick = () => {
        if (scannedAt === undefined || clock.now() - scannedAt >= RESCAN_MS) rescan()
        for (const sender of senders.values()) sender.send(datagram)
        cancel = clock.after(EVERY_MS, tick)
      }

      tick()
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      cancel()
      for (const [name, sender] of senders) close(name, sender)
      await Promise.all(closing)
    },
  }
}
