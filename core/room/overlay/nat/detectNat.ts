import { equalBytes } from '../../../bytes'
import type { Clock } from '../../ports'
import type { Carriers } from '../carriers'
import type { UdpEndpoint } from '../links/udpEndpoint'
import { type Endpoint, formatEndpoint, parseNodeUrl } from '../wire/socketAddr'
import { type NatType, tcpNatType, udpNatType } from './natType'
import { decodeStun, encodeStunRequest, stunTransactionId } from './stun'

export type SeenFromOutside = {
  readonly type: NatType
  /** As the first server saw us; undefined when none answered. */
  readonly mapped: Endpoint | undefined
}

export type NatTools = {
  readonly carriers: Carriers
  readonly clock: Clock
  readonly randomBytes: (size: number) => Uint8Array
}

/** A datagram may be lost: asked so often, so far apart. */
const TRIES = 4
const TRY_MS = 300
const MAX_SERVERS = 4
const TCP_MS = 2500

/**
 * The servers that can tell how the internet sees us: listeners of shared nodes answer on UDP, too.
 * @param configured `host:port`
 * @param nodes `udp://host:port` among others
 */
export async function stunServers(
  configured: readonly string[],
  nodes: readonly string[],
  { carriers }: NatTools,
  signal: AbortSignal,
): Promise<readonly Endpoint[]> {
  const places = [
    ...nodes.flatMap((node) => {
      const url = parseNodeUrl(node)
      return url?.carrier === 'udp' ? [{ host: url.host, port: url.port }] : []
    }),
    ...configured.map((text) => ({ host: text.replace(/:\d+$/, ''), port: Number(/\d+$/.exec(text)?.[0]) })),
  ]
  const found = await Promise.all(
    places.map(async ({ host, port }): Promise<readonly Endpoint[]> => {
      const addresses = await carriers.resolve(host.replace(/^\[(.*)\]$/, '$1'), signal).catch(() => [])
      const address = addresses.find((one) => !one.includes(':'))
      return address === undefined ? [] : [{ address, port }]
    }),
  )
  const known = new Map(found.flat().map((server) => [formatEndpoint(server), server]))
  return [...known.values()].slice(0, MAX_SERVERS)
}

/** How routers treat this socket. Needs answers of two servers; unknown with fewer. Never rejects. */
export async function detectUdpNat(
  udp: UdpEndpoint,
  servers: readonly Endpoint[],
  { carriers, clock, randomBytes }: NatTools,
  signal: AbortSignal,
): Promise<SeenFromOutside> {
  const seen = await Promise.all(servers.map((server) => askUdp(udp, server, clock, randomBytes, signal)))
  const answers = seen.filter((one) => one !== undefined)
  return { type: udpNatType(answers, carriers.interfaceAddresses()), mapped: answers[0] }
}

/** The same for TCP, from one local port to several servers in turn. */
export async function detectTcpNat(
  servers: readonly Endpoint[],
  localPort: number,
  { carriers, clock }: NatTools,
  signal: AbortSignal,
): Promise<SeenFromOutside> {
  const answers: Endpoint[] = []
  for (const server of servers.slice(0, 2)) {
    const limit = new AbortController()
    const cancel = clock.after(TCP_MS, () => limit.abort(new Error('no answer')))
    const either = AbortSignal.any([signal, limit.signal])
    const answer = await carriers.stunTcp(server, localPort, either).catch(() => undefined)
    cancel()
    if (answer) answers.push(answer)
  }
  return { type: tcpNatType(answers, localPort), mapped: answers[0] }
}

function askUdp(
  udp: UdpEndpoint,
  server: Endpoint,
  clock: Clock,
  randomBytes: (size: number) => Uint8Array,
  signal: AbortSignal,
): Promise<Endpoint | undefined> {
  const transactionId = stunTransactionId(randomBytes(4))
  const request = encodeStunRequest(transactionId)
  return new Promise((resolve) => {
    let tries = 0
    let cancel = () => {}
    const finish = (mapped?: Endpoint) => {
      cancel()
      takeOff()
      signal.removeEventListener('abort', onAbort)
      resolve(mapped)
    }
    const onAbort = () => finish()
    const takeOff = udp.onStun((bytes) => {
      const message = decodeStun(bytes)
      if (message?.kind !== 'response' || !equalBytes(message.transactionId, transactionId)) return
      finish(message.mapped)
    })
    const ask = () => {
      if (tries >= TRIES) return finish()
      tries += 1
      udp.sendRaw(request, server)
      cancel = clock.after(TRY_MS, ask)
    }
    if (signal.aborted) return finish()
    signal.addEventListener('abort', onAbort, { once: true })
    ask()
  })
}
