import { createUdpEndpoint } from '../links/udpEndpoint'
import type { NatTools } from '../nat/askStun'
import { detectTcpNat, detectUdpNat, stunServers } from '../nat/detectNat'
import { isSymmetric, type NatType, natTypes } from '../nat/natType'

export type NatReport = { readonly udp: string; readonly tcp: string }

/**
 * What kind of router this machine is behind, in words for people.
 * @param stun `host:port` of STUN servers
 * @param nodes shared nodes: their UDP listeners are asked as well
 * @returns undefined when nobody says; never rejects
 */
export async function reportNat(
  options: NatTools & { readonly stun: readonly string[]; readonly nodes: readonly string[] },
  limitMs: number,
): Promise<NatReport | undefined> {
  const { carriers, clock } = options
  const limit = new AbortController()
  const cancel = clock.after(limitMs, () => limit.abort(new Error('the time is over')))
  try {
    const [servers, byTcpServers] = await Promise.all([
      stunServers(options.stun, options.nodes, options, limit.signal),
      // Listeners of shared nodes answer STUN by UDP alone.
      stunServers(options.stun, [], options, limit.signal),
    ])
    const udp = createUdpEndpoint({ ...options, socket: await carriers.openUdp(0) })
    try {
      const [byUdp, byTcp] = await Promise.all([
        detectUdpNat(udp, servers, options, limit.signal),
        detectTcpNat(byTcpServers, udp.port, options, limit.signal),
      ])
      const isKnown = byUdp.type !== natTypes.unknown || byTcp.type !== natTypes.unknown
      return isKnown ? { udp: nameOf(byUdp.type), tcp: nameOf(byTcp.type) } : undefined
    } finally {
      udp.close()
    }
  } catch {
    return undefined
  } finally {
    cancel()
  }
}

function nameOf(type: NatType): string {
  if (type === natTypes.unknown) return 'unknown'
  if (type === natTypes.openInternet) return 'open internet'
  if (isSymmetric(type)) return 'symmetric (hard)'
  return type === natTypes.noPat ? 'no port translation (easy)' : 'cone (good)'
}
