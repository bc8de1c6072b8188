import { createSocket } from 'node:dgram'
import { networkInterfaces } from 'node:os'
import { onAbort, repeat } from '@lantern-room/base/async'
import { raknetPing } from '@lantern-room/game'
import type { LanListener } from '@lantern-room/game/ports'
import ipaddr from 'ipaddr.js'
import {
  interfaceAddresses,
  isOwnAddress,
  type LanOptions,
  type NetworkInterfaces,
  ownAddresses,
} from '../network/networkInterfaces'

const BEDROCK_PORT = 19_132
/** A world is forgotten 5 s after its last answer. */
const PING_MS = 2000

/**
 * Finds worlds of the Bedrock edition as its games do: by a ping to this machine and to each network's broadcast address, every 2 s.
 * @example await createBedrockFinder({ interfaces: undefined, clock, log }).listen((world) => games.add(world), signal)
 */
export function createBedrockFinder(
  options: LanOptions & {
    /** Where worlds of the Bedrock edition answer. @default 19132 */
    readonly port?: number
  },
): LanListener {
  const { clock, log, interfaces, port = BEDROCK_PORT, networkInterfaces: scan = networkInterfaces } = options
  return {
    async listen(onAnnouncement, signal, isPaused = () => false) {
      if (signal.aborted) return
      const socket = createSocket('udp4')
      socket.on('error', (error) => log.debug('cannot look for Bedrock worlds', { cause: String(error) }))
      socket.on('message', (bytes, from) => {
        const status = raknetPing.read(bytes)
        if (!status) return
        const isLocal = isOwnAddress(from.address, ownAddresses(scan()))
        onAnnouncement({
          address: isLocal ? '127.0.0.1' : from.address,
          port: from.port,
          motd: status.motd ?? '',
          isLocal,
          edition: 'bedrock',
        })
      })
      const look = () => {
        if (isPaused()) return
        for (const address of targets(scan(), interfaces))
          socket.send(raknetPing.request(), port, address, () => {})
      }
      await new Promise<void>((resolve) => {
        onAbort(signal, () => void socket.close(() => resolve()))
        socket.bind(0, () => {
          if (signal.aborted) return
          socket.setBroadcast(true)
          repeat(clock, PING_MS, signal, look)
        })
      })
    },
  }
}

/** This machine, and the broadcast address of each IPv4 network. */
function targets(all: NetworkInterfaces, wanted: readonly string[] | undefined): readonly string[] {
  const broadcasts = interfaceAddresses(all, wanted).flatMap(({ info: { family, internal, cidr } }) =>
    family === 'IPv4' && !internal && cidr !== null
      ? ipaddr.IPv4.broadcastAddressFromCIDR(cidr).toString()
      : [],
  )
  return ['127.0.0.1', ...new Set(broadcasts)]
}
