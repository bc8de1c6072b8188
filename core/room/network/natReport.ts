import { detectTcpNat, detectUdpNat, stunServers } from '#core/easytier/nat/detectNat'
import { isSymmetric, type NatType, natTypes } from '#core/easytier/nat/natType'
import type { StunClientOptions } from '#core/easytier/nat/stunClient'
import { createUdpTransport } from '#core/easytier/transport/udpTransport'

/** @property outlook how connections with others will be made */
export type NatReport = { readonly udp: string; readonly tcp: string; readonly outlook: string }

/**
 * What kind of router this machine is behind, in words for people.
 * @param stun `host:port` of STUN servers
 * @param nodes shared nodes: their UDP listeners are asked as well
 * @returns undefined when no server answers; never rejects
 */
export async function reportNat(
  options: StunClientOptions & { readonly stun: readonly string[]; readonly nodes: readonly string[] },
  limitMs: number,
): Promise<NatReport | undefined> {
  const { transports, clock } = options
  const limit = new AbortController()
  const cancel = clock.after(limitMs, () => limit.abort(new Error('the time is over')))
  try {
    const [servers, byTcpServers] = await Promise.all([
      stunServers(options.stun, options.nodes, options, limit.signal),
      // Listeners of shared nodes answer STUN by UDP alone.
      stunServers(options.stun, [], options, limit.signal),
    ])
    const udp = createUdpTransport({ ...options, socket: await transports.openUdp(0) })
    try {
      const [byUdp, byTcp] = await Promise.all([
        detectUdpNat(udp, servers, options, limit.signal),
        detectTcpNat(byTcpServers, udp.port, options, limit.signal),
      ])
      const isKnown = byUdp.type !== natTypes.unknown || byTcp.type !== natTypes.unknown
      if (!isKnown) return undefined
      const outlook = outlookOf(byUdp.type, byTcp.type)
      return { udp: nameOf(byUdp.type), tcp: nameOf(byTcp.type), outlook }
    } finally {
      udp.close()
    }
  } catch {
    return undefined
  } finally {
    cancel()
  }
}

/** What the types of one side mean for connections with any other side. @see docs/network/nat-traversal.md */
export function outlookOf(udp: NatType, tcp: NatType): string {
  if (udp === natTypes.openInternet) return 'everybody can connect to you directly'
  if (udp === natTypes.unknown) {
    const canPunch = tcp !== natTypes.unknown && !isSymmetric(tcp)
    const way = canPunch ? 'you connect by TCP where both routers allow it, else' : 'you connect'
    return `nothing comes back by UDP: ${way} through a shared node`
  }
  if (!isSymmetric(udp)) return 'you connect directly with nearly everybody'
  return 'you connect directly, except with those behind a router like yours: a shared node carries that game'
}

function nameOf(type: NatType): string {
  if (type === natTypes.unknown) return 'unknown'
  if (type === natTypes.openInternet) return 'open internet'
  if (isSymmetric(type)) return 'symmetric (hard)'
  return type === natTypes.noPat ? 'no port translation (easy)' : 'cone (good)'
}
