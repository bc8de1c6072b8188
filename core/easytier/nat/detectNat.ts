import { createUdpTransport, type UdpTransport } from '../transport/udpTransport'
import { type Endpoint, formatEndpoint, parseNodeUrl } from '../wire/socketAddress'
import { askStun, askTcp, mappedAddress, type NatTools } from './askStun'
import { arePortsClose, type NatType, natTypes, tcpNatType, udpNatType } from './natType'

export type SeenFromOutside = {
  readonly type: NatType
  /** As the first server saw us; undefined when none answered. */
  readonly mapped: Endpoint | undefined
  /** All public addresses that servers saw: some providers give several. */
  readonly addresses: readonly string[]
}

const MAX_SERVERS = 4

/**
 * The servers that can tell how the internet sees us: listeners of shared nodes answer on UDP, too.
 * @param configured `host:port`
 * @param nodes `udp://host:port` among others
 */
export async function stunServers(
  configured: readonly string[],
  nodes: readonly string[],
  { transports }: NatTools,
  signal: AbortSignal,
): Promise<readonly Endpoint[]> {
  const places = [
    ...nodes.flatMap((node) => {
      const url = parseNodeUrl(node)
      return url?.scheme === 'udp' ? [{ host: url.host, port: url.port }] : []
    }),
    ...configured.map((text) => ({ host: text.replace(/:\d+$/, ''), port: Number(/\d+$/.exec(text)?.[0]) })),
  ]
  const found = await Promise.all(
    places.map(async ({ host, port }): Promise<readonly Endpoint[]> => {
      const addresses = await transports.resolve(host.replace(/^\[(.*)\]$/, '$1'), signal).catch(() => [])
      const address = addresses.find((one) => !one.includes(':'))
      return address === undefined ? [] : [{ address, port }]
    }),
  )
  const known = new Map(found.flat().map((server) => [formatEndpoint(server), server]))
  return [...known.values()].slice(0, MAX_SERVERS)
}

/** How routers treat this socket. Needs answers of two servers; unknown with fewer. Never rejects. */
export async function detectUdpNat(
  udp: UdpTransport,
  servers: readonly Endpoint[],
  tools: NatTools,
  signal: AbortSignal,
): Promise<SeenFromOutside> {
  const own = tools.transports.interfaceAddresses()
  const answers = await askStun(udp, servers, tools, signal)
  const type = udpNatType(answers, own)
  const seen = { mapped: answers[0], addresses: [...new Set(answers.map(({ address }) => address))] }
  if (type !== natTypes.symmetric || !arePortsClose(answers)) return { type, ...seen }
  const next = await portOfAnother(servers, tools, signal).catch(() => undefined)
  return { type: udpNatType(answers, own, next), ...seen }
}

/** The same for TCP, from one local port to several servers in turn. */
export async function detectTcpNat(
  servers: readonly Endpoint[],
  localPort: number,
  tools: NatTools,
  signal: AbortSignal,
): Promise<SeenFromOutside> {
  const answers: Endpoint[] = []
  for (const server of servers) {
    const answer = await askTcp(server, localPort, tools, signal).catch(() => undefined)
    if (answer) answers.push(answer)
    if (answers.length === 2 || signal.aborted) break
  }
  const addresses = [...new Set(answers.map(({ address }) => address))]
  return { type: tcpNatType(answers, localPort), mapped: answers[0], addresses }
}

/** A socket that is opened now: where its port lies tells whether the router's next ports can be foreseen. */
async function portOfAnother(
  servers: readonly Endpoint[],
  tools: NatTools,
  signal: AbortSignal,
): Promise<number | undefined> {
  const udp = createUdpTransport({ ...tools, socket: await tools.transports.openUdp(0) })
  try {
    return (await mappedAddress(udp, servers, tools, signal))?.port
  } finally {
    udp.close()
  }
}
