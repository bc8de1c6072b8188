import { networkInterfaces } from 'node:os'
import type { Clock } from '#core/clock'
import type { Log } from '#core/log'
import type { DecodeAnnouncement } from '#core/room/game/ports'
import type { GameAnnouncement, LanListener } from '#core/room/ports'
import { FORWARD_SOURCE_PORT, RESCAN_MS } from './groups'
import { chooseInterfaces, type NetworkInterfaces, neighbours, ownAddresses, unscoped } from './interfaces'
import { createReceiver } from './receiver'
import { reportOnce } from './reportOnce'

export type LanOptions = {
  readonly clock: Clock
  readonly log: Log
  /** Addresses or names of the interfaces to use; undefined = all. */
  readonly interfaces: readonly string[] | undefined
  readonly networkInterfaces?: () => NetworkInterfaces
}

/**
 * Receives announcements of worlds on the LAN, in IPv4 and IPv6, on every interface, and follows interfaces that
 * appear and disappear.
 *
 * The address of an announcement is the sender's. For worlds of this machine it is 127.0.0.1, on whichever interface
 * they were received, so that each is listed once. Announcements that this software makes for a guest are dropped:
 * they are not games, and can be reached from their own machine only.
 */
export function createLanListener(
  options: LanOptions & { readonly decode: DecodeAnnouncement },
): LanListener {
  const { clock, log, interfaces, decode, networkInterfaces: scan = networkInterfaces } = options
  return {
    async listen(onAnnouncement, signal) {
      if (signal.aborted) return
      const report = reportOnce(log)
      let own: ReadonlySet<string> = new Set()
      let isNear = (_address: string) => true
      let cancel = () => {}

      const take = (bytes: Uint8Array, from: { readonly address: string; readonly port: number }) => {
        if (from.port === FORWARD_SOURCE_PORT || !isNear(from.address)) return
        const world = decode(bytes)
        if (world !== undefined) onAnnouncement(announcementOf(world, from.address, own))
      }
      const receivers = {
        ipv4: createReceiver('ipv4', take, report),
        ipv6: createReceiver('ipv6', take, report),
      }
      const rescan = () => {
        const all = scan()
        const chosen = chooseInterfaces(all, interfaces, process.platform)
        own = ownAddresses(all)
        if (interfaces !== undefined) isNear = neighbours(chosen)
        for (const family of ['ipv4', 'ipv6'] as const) {
          const names = chosen.filter((one) => one.family === family).map(({ multicast }) => multicast)
          if (names.length > 0) receivers[family].join(names)
        }
        cancel = clock.after(RESCAN_MS, rescan)
      }

      rescan()
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      cancel()
      await Promise.all([receivers.ipv4.close(), receivers.ipv6.close()])
    },
  }
}

function announcementOf(
  world: { readonly motd: string; readonly port: number },
  sender: string,
  own: ReadonlySet<string>,
): GameAnnouncement {
  const isLocal = own.has(unscoped(sender)) || sender.startsWith('127.')
  return { ...world, address: isLocal ? '127.0.0.1' : sender, isLocal }
}
