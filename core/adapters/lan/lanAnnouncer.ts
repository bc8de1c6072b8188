import { networkInterfaces } from 'node:os'
import { repeat, untilAborted } from '@lantern-room/base/async'
import { encodeAnnouncement } from '@lantern-room/game'
import type { LanAnnouncer } from '@lantern-room/game/ports'
import { multicastInterfaces, onePerInterface, reportOnce } from '../network/multicastInterfaces'
import { type LanOptions, RESCAN_MS } from '../network/networkInterfaces'
import { createSender, FORWARD_SOURCE_PORT, type SenderOptions } from './sender'

/** The interval that games use. */
const EVERY_MS = 1500

/**
 * A forward is announced on this machine only, because it can be used from there only; all listeners of this software recognise
 * it, and do not list it.
 */
const FORWARD: SenderOptions = { sourcePort: FORWARD_SOURCE_PORT, maxHops: 0 }

/**
 * Announces a world through every interface, in IPv4 and IPv6; the first time at once, and then every 1.5 s.
 * @param sender how its announcements are sent. @default as those of a guest's local port: on this machine only
 * @example await createLanAnnouncer({ interfaces: undefined, clock, log }).announce({ motd: 'Alex - A world', port: 25_565 }, signal)
 */
export function createLanAnnouncer(options: LanOptions, sender = FORWARD): LanAnnouncer {
  const { clock, log, interfaces, networkInterfaces: scan = networkInterfaces } = options
  return {
    async announce(world, signal) {
      if (signal.aborted) return
      const report = reportOnce(log)
      const datagram = encodeAnnouncement(world)
      const senders = onePerInterface(
        (one) => createSender(one, sender, report),
        (one) => one.close(),
      )
      repeat(clock, RESCAN_MS, signal, () => {
        for (const one of senders.all()) if (one.isBroken) senders.drop(one)
        senders.update(multicastInterfaces(scan(), interfaces, process.platform))
      })
      repeat(clock, EVERY_MS, signal, () => {
        for (const one of senders.all()) one.send(datagram)
      })
      await untilAborted(signal)
      await senders.close()
    },
  }
}
