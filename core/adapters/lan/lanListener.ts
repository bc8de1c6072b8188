import { networkInterfaces } from 'node:os'
import { repeat, untilAborted } from '@lantern-room/base/async'
import { decodeAnnouncement } from '@lantern-room/game'
import type { LanListener } from '@lantern-room/game/ports'
import { multicastInterfaces, neighbours, reportOnce } from '../network/multicastInterfaces'
import { isOwnAddress, type LanOptions, ownAddresses, RESCAN_MS } from '../network/networkInterfaces'
import { createReceiver } from './receiver'
import { FORWARD_SOURCE_PORT } from './sender'

/**
 * Receives announcements of worlds on the LAN, in IPv4 and IPv6, on every interface as these come and go.
 *
 * The address of an announcement is the sender's. For worlds of this machine it is always 127.0.0.1, so that a world that is received
 * on several interfaces counts once. Announcements that any instance of this software makes for a guest are dropped: such a world is
 * no game server, and can be reached from its own machine only.
 * @example await createLanListener({ interfaces: ['eth0'], clock, log }).listen((world) => games.add(world), signal)
 */
export function createLanListener(options: LanOptions): LanListener {
  const { clock, log, interfaces, networkInterfaces: scan = networkInterfaces } = options
  return {
    async listen(onAnnouncement, signal, _isPaused, onHeld) {
      if (signal.aborted) return
      const report = reportOnce(log)
      let own: ReadonlySet<string> = new Set()
      let isNear = (_address: string) => true

      const receive = (bytes: Uint8Array, from: { readonly address: string; readonly port: number }) => {
        if (from.port === FORWARD_SOURCE_PORT || !isNear(from.address)) return
        const world = decodeAnnouncement(bytes)
        if (world === undefined) return
        const isLocal = isOwnAddress(from.address, own)
        onAnnouncement({ ...world, address: isLocal ? '127.0.0.1' : from.address, isLocal })
      }
      const receivers = {
        // The game announces in IPv4 unless there is none.
        ipv4: createReceiver('ipv4', receive, report, onHeld),
        ipv6: createReceiver('ipv6', receive, report),
      }
      repeat(clock, RESCAN_MS, signal, () => {
        const all = scan()
        const chosen = multicastInterfaces(all, interfaces, process.platform)
        own = ownAddresses(all)
        if (interfaces !== undefined) isNear = neighbours(chosen)
        for (const family of ['ipv4', 'ipv6'] as const) {
          const names = chosen.filter((one) => one.family === family).map(({ multicast }) => multicast)
          if (names.length > 0) receivers[family].join(names)
        }
      })
      await untilAborted(signal)
      await Promise.all([receivers.ipv4.close(), receivers.ipv6.close()])
    },
  }
}
