import { createHash, randomBytes, randomInt } from 'node:crypto'
import { isIPv4 } from 'node:net'
import { hostname as machineName } from 'node:os'
import { createSystemClock } from '@lantern-room/adapters/system'
import { createNodeTransports } from '@lantern-room/adapters/transports'
import { createLog, version } from '@lantern-room/base'
import { Network } from '@lantern-room/easytier'
import { namesNodes } from '@lantern-room/easytier/transport'
import { type OpenNetwork, OwnPeer } from './ownPeer'
import type { EasyTierPeer, EasyTierPeerOptions } from './peer'

/**
 * Takes part in a network until the signal aborts.
 * @example const peer = await openPeer({ name: 'my-network', secret: 'its secret', nodes: ['tcp://node.example.com:11010'] }, stopping.signal)
 * @throws TypeError that names a wrong option; Error when a socket cannot be opened; the signal's reason
 */
export async function openPeer(options: EasyTierPeerOptions, signal: AbortSignal): Promise<EasyTierPeer> {
  requireUsable(options)
  signal.throwIfAborted()
  return OwnPeer.open(networkOf(options, signal))
}

function networkOf(options: EasyTierPeerOptions, signal: AbortSignal): OpenNetwork {
  const { name, secret, nodes, stunServers = [], isDirect = true, onLog } = options
  const clock = createSystemClock()
  const log = createLog((level, message, fields) => onLog?.(level, lineOf(message, fields)))
  return (handlers) =>
    Network.open(
      {
        ...handlers,
        identity: { name, secret },
        hostname: options.hostname ?? machineName(),
        address: options.address ?? `10.126.126.${randomInt(2, 254)}`,
        version: `lantern-room ${version}`,
        lan: { key: lanKey(name, secret), announces: true },
        nodes,
        stunServers,
        isDirect,
        transports: createNodeTransports({ lanInterfaces: undefined, clock, log }),
        clock,
        randomBytes: (size) => new Uint8Array(randomBytes(size)),
        log,
        wantsDirect: () => isDirect,
      },
      signal,
    )
}

function requireUsable({ name, secret, nodes, address }: EasyTierPeerOptions): void {
  if (typeof name !== 'string' || name === '')
    throw new TypeError('`name` is the name of the network, and not empty.')
  if (typeof secret !== 'string') throw new TypeError('`secret` is the secret of the network, a string.')
  if (!Array.isArray(nodes)) throw new TypeError('`nodes` is a list of shared nodes; an empty one for none.')
  const wrong = nodes.find((node) => typeof node !== 'string' || !namesNodes(node))
  if (wrong !== undefined)
    throw new TypeError(
      `\`nodes\` has ${JSON.stringify(wrong)}, which is no address such as tcp://node.example.com:11010.`,
    )
  if (address !== undefined && !isIPv4(address))
    throw new TypeError(
      `\`address\` is ${JSON.stringify(address)}, and no IPv4 address such as 10.126.126.7.`,
    )
}

/** Under which these peers find each other on a LAN, without telling the secret. */
function lanKey(name: string, secret: string): string {
  return createHash('sha256').update(`lantern-room peer\n${name}\n${secret}`).digest('hex').slice(0, 32)
}

function lineOf(message: string, fields: Readonly<Record<string, unknown>>): string {
  return Object.keys(fields).length === 0 ? message : `${message} ${JSON.stringify(fields)}`
}
