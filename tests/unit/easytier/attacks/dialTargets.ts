import { rpcMethods } from '@lantern-room/easytier/wire'
import type { AttackContext } from './attackContext'

/** Where no member may make another one dial: the machine itself, many machines at once, and networks of others. */
export const FORBIDDEN_HOSTS = [
  '127.0.0.1',
  '127.8.8.8',
  '0.0.0.0',
  '224.0.0.5',
  '255.255.255.255',
  '169.254.6.6',
  '10.66.6.6',
  '172.16.66.6',
]
/** And no port of a service. */
export const LOWEST_PORT = 1024

/** Tells whoever asks for its listeners that they are where nobody may dial, or somewhere that does not exist. */
export function dialTargets({ chance, node }: AttackContext): void {
  node.handle('getIpList', (_request, _from, reply) => {
    const listeners = Array.from({ length: chance.integer(1, 40) }, () => ({ url: drawTarget() }))
    const lists = { interfaceIpv4s: [], interfaceIpv6s: [], listeners }
    reply({ kind: 'response', response: rpcMethods.getIpList.response.encode(lists) })
  })

  function drawTarget(): string {
    const scheme = chance.isTrue(0.5) ? 'tcp' : 'udp'
    const [first = ''] = FORBIDDEN_HOSTS
    const host = FORBIDDEN_HOSTS[chance.integer(0, FORBIDDEN_HOSTS.length - 1)] ?? first
    if (chance.isTrue(0.6)) return `${scheme}://${host}:${chance.integer(LOWEST_PORT, 65_535)}`
    if (chance.isTrue(0.2)) return `${scheme}://[::ffff:${host}]:${chance.integer(LOWEST_PORT, 65_535)}`
    const port = chance.isTrue(0.5) ? chance.integer(1, LOWEST_PORT - 1) : chance.integer(20_000, 65_535)
    return `${scheme}://9.9.9.${chance.integer(1, 254)}:${port}`
  }
}
