import { type FourWords, formatIpv4, formatIpv6, parseIpv4, parseIpv6 } from './addresses'
import type { Encodable, kcpConnData, MessageOf } from './messages'

/** A socket's address as text and number; IPv6 without brackets. */
export type Endpoint = { readonly address: string; readonly port: number }

type SocketAddrInit = NonNullable<Encodable<typeof kcpConnData>['src']>
type SocketAddr = NonNullable<MessageOf<typeof kcpConnData>['src']>

/** For a message's SocketAddr. @throws RangeError when the address is neither IPv4 nor IPv6 */
export function toSocketAddr({ address, port }: Endpoint): SocketAddrInit {
  const ipv4 = parseIpv4(address)
  if (ipv4 !== undefined) return { ip: { case: 'ipv4', value: { addr: ipv4 } }, port }
  const ipv6 = parseIpv6(address)
  if (ipv6 === undefined) throw new RangeError(`${address} is no IP address`)
  return { ip: { case: 'ipv6', value: toParts(ipv6) }, port }
}

/** For a message's Ipv6Addr or Uuid. */
export function toParts([part1, part2, part3, part4]: FourWords) {
  return { part1, part2, part3, part4 }
}

/** @returns undefined when it is absent, has no address, or its port is invalid */
export function fromSocketAddr(socketAddr: SocketAddr | undefined): Endpoint | undefined {
  if (socketAddr === undefined || socketAddr.port > 65_535) return undefined
  const { ip, port } = socketAddr
  if (ip.case === 'ipv4') return { address: formatIpv4(ip.value.addr), port }
  if (ip.case !== 'ipv6') return undefined
  const { part1, part2, part3, part4 } = ip.value
  return { address: formatIpv6([part1, part2, part3, part4]), port }
}

/**
 * An endpoint as a key or for display.
 * @example
 * formatEndpoint({ address: '::1', port: 5 }) // '[::1]:5'
 */
export function formatEndpoint({ address, port }: Endpoint): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
}

export type UrlScheme = 'tcp' | 'udp' | 'ws' | 'wss'

/** A node's listener. `host` may be a name, or 0.0.0.0 and :: for every address of the machine. */
export type NodeUrl = {
  readonly scheme: UrlScheme
  readonly host: string
  readonly port: number
  /** The path of a ws or wss address; `/` when none is given. */
  readonly path: string
}

const defaultPorts: Readonly<Record<UrlScheme, number>> = { tcp: 11_010, udp: 11_010, ws: 80, wss: 443 }

/** @returns undefined for other schemes (lists begin with a `ring://` URL) and for malformed URLs */
export function parseNodeUrl(text: string): NodeUrl | undefined {
  const match = /^(tcp|udp|ws|wss):\/\/(\[[^\]/]+\]|[^:/?#@[\]\s]+)(?::(\d{1,5}))?(\/\S*)?$/i.exec(
    text.trim(),
  )
  const [, given, host, portText, path = '/'] = match ?? []
  const scheme = schemes.find((name) => name === given?.toLowerCase())
  if (scheme === undefined || host === undefined) return undefined
  const port = portText === undefined ? defaultPorts[scheme] : Number(portText)
  const isBracketed = host.startsWith('[')
  const name = isBracketed ? host.slice(1, -1) : host
  if (port < 1 || port > 65_535 || (isBracketed && parseIpv6(name) === undefined)) return undefined
  return { scheme, host: name, port, path }
}

/**
 * A node's listener as its URL. The path is left out where it is `/`.
 * @example
 * formatNodeUrl({ scheme: 'tcp', host: '203.0.113.7', port: 11010, path: '/' }) // 'tcp://203.0.113.7:11010'
 */
export function formatNodeUrl({ scheme, host, port, path }: NodeUrl): string {
  const end = scheme === 'ws' || scheme === 'wss' ? path : ''
  return `${scheme}://${formatEndpoint({ address: host, port })}${end === '/' ? '' : end}`
}

const schemes: readonly UrlScheme[] = ['tcp', 'udp', 'ws', 'wss']
