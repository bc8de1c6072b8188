import { addressesOf, type NamedNode, namedNodes } from '../transport/namedNode'
import { createUdpTransport, type UdpTransport } from '../transport/udpTransport'
import { type Endpoint, formatEndpoint, parseNodeUrl } from '../wire/socketAddress'
import { arePortsClose, type NatType, natTypes, tcpNatType, udpNatType } from './natType'
import { queryFirst, queryStun, queryTcp, type StunOptions } from './queryStun'

export type DetectNatOptions = StunOptions & {
  /** `host:port` of STUN servers. */
  readonly stunServers: readonly string[]
  /** Shared nodes, as the user has typed them: their UDP listeners are asked as well, and others are left out. */
  readonly nodes: readonly string[]
}

/**
 * How the router of this machine maps ports, for UDP and for TCP, by sockets that are closed again afterwards. It takes the answers of
 * two servers; `unknown` with fewer, also where `signal` aborts.
 * @example
 * const { udp } = await detectNat({ transports, clock, randomBytes, stunServers: ['stun.example.com:3478'], nodes: [] }, signal)
 * const isHard = isSymmetric(udp)
 * @throws Error when no UDP socket can be opened
 */
export async function detectNat(
  options: DetectNatOptions,
  signal: AbortSignal,
): Promise<{ readonly udp: NatType; readonly tcp: NatType }> {
  const { transports, clock, randomBytes, nodes } = options
  const [servers, byTcpServers] = await Promise.all([
    stunServers(options.stunServers, namedNodes({ nodes }), options, signal),
    // Listeners of shared nodes answer STUN by UDP alone.
    stunServers(options.stunServers, [], options, signal),
  ])
  const socket = createUdpTransport({ socket: await transports.openUdp(0), clock, randomBytes })
  try {
    const [{ type: udp }, tcp] = await Promise.all([
      detectUdpNat(socket, servers, options, signal),
      detectTcpNat(byTcpServers, socket.port, options, signal),
    ])
    return { udp, tcp }
  } finally {
    socket.close()
  }
}

const MAX_SERVERS = 4

/**
 * The STUN servers to ask, resolved to addresses of one family: listeners of shared nodes answer STUN over UDP, too. What may not be
 * asked is left out.
 * @param configured `host:port`
 * @param nodes `udp://host:port` among others
 */
export async function stunServers(
  configured: readonly string[],
  nodes: readonly NamedNode[],
  { transports }: StunOptions,
  signal: AbortSignal,
  family: 'ipv4' | 'ipv6' = 'ipv4',
): Promise<readonly Endpoint[]> {
  const servers = [...nodes, ...namedNodes({ nodes: configured.map((text) => `udp://${text}`) })]
  const resolved = await Promise.all(
    servers.map(async ({ url: text, origin }): Promise<readonly Endpoint[]> => {
      const url = parseNodeUrl(text)
      if (url?.scheme !== 'udp') return []
      const addresses = await addressesOf({ url, origin }, transports, signal).catch(() => [])
      const address = addresses.find((one) => one.includes(':') === (family === 'ipv6'))
      return address === undefined ? [] : [{ address, port: url.port }]
    }),
  )
  const distinct = new Map(resolved.flat().map((server) => [formatEndpoint(server), server]))
  return [...distinct.values()].slice(0, MAX_SERVERS)
}

/**
 * How routers map this UDP socket. It takes the answers of two servers; unknown with fewer. Never rejects.
 * @returns `mapped`: its public address according to the first server; undefined when none answered. `addresses`: all that servers
 *   reported, since some providers give one player several
 */
export async function detectUdpNat(
  udp: UdpTransport,
  servers: readonly Endpoint[],
  options: StunOptions,
  signal: AbortSignal,
) {
  const own = options.transports.interfaceAddresses()
  const answers = await queryStun(options, udp, servers, signal)
  const type = udpNatType(answers, own)
  const mapped = answers[0]
  const addresses = [...new Set(answers.map(({ address }) => address))]
  if (type !== natTypes.symmetric || !arePortsClose(answers)) return { type, mapped, addresses }
  const nextPort = await portOfNewSocket(servers, options, signal).catch(() => undefined)
  return { type: udpNatType(answers, own, nextPort), mapped, addresses }
}

/** Detects the NAT for TCP, from one local port to several servers in turn. Never rejects. */
export async function detectTcpNat(
  servers: readonly Endpoint[],
  localPort: number,
  options: StunOptions,
  signal: AbortSignal,
): Promise<NatType> {
  const answers: Endpoint[] = []
  for (const server of servers) {
    const answer = await queryTcp(options, server, localPort, signal).catch(() => undefined)
    if (answer) answers.push(answer)
    if (answers.length === 2 || signal.aborted) break
  }
  return tcpNatType(answers, localPort)
}

/** The public port of a socket that is opened now: it shows whether the router's next ports can be predicted. */
async function portOfNewSocket(
  servers: readonly Endpoint[],
  options: StunOptions,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { transports, clock, randomBytes } = options
  const udp = createUdpTransport({ socket: await transports.openUdp(0), clock, randomBytes })
  try {
    return (await queryFirst(options, udp, servers, signal))?.port
  } finally {
    udp.close()
  }
}
