import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import type { Log } from '@lantern-room/base'
import { parseJson } from '@lantern-room/base/bytes'
import { isInSubnet } from '@lantern-room/base/network'
import type { MappingRecord, PortMapping, RouterAccess } from '@lantern-room/routers'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import { writeOwnFile } from '../files/ownFile'
import { interfaceAddresses, type NetworkInterfaces } from '../network/networkInterfaces'
import { readText } from '../network/nodeSockets'

/** The table of routes of Linux; other systems have none. */
const ROUTE_FILE = '/proc/net/route'

/** Routers, as far as a program without rights finds them. */
export function createRouterAccess(options: {
  readonly networkInterfaces: () => NetworkInterfaces
  readonly record: MappingRecord
}): RouterAccess {
  const { networkInterfaces, record } = options
  return {
    record,
    async addresses() {
      const table = await readFile(ROUTE_FILE, 'utf8').catch(() => undefined)
      return table === undefined ? usualGateways(networkInterfaces()) : defaultGateways(table)
    },
    localAddress: (router) =>
      interfaceAddresses(networkInterfaces()).find(
        ({ info: { cidr, internal } }) => !internal && cidr !== null && isInSubnet(router, cidr),
      )?.address,
    request: exchange,
  }
}

/** The default gateways of Linux's table of routes: the columns are interface, destination, gateway, …, in little-endian hex. */
export function defaultGateways(table: string): readonly string[] {
  const gateways = table.split('\n').flatMap((line) => {
    const [, destination, gateway = ''] = line.trim().split(/\s+/)
    if (destination !== '00000000' || !/^[0-9A-F]{8}$/i.test(gateway) || gateway === '00000000') return []
    return [[6, 4, 2, 0].map((at) => Number.parseInt(gateway.slice(at, at + 2), 16)).join('.')]
  })
  return [...new Set(gateways)]
}

/** Where other systems do not tell: the first address of each network, which most routers have. */
export function usualGateways(all: NetworkInterfaces): readonly string[] {
  const gateways = interfaceAddresses(all).flatMap(({ address, info: { family, internal, cidr } }) => {
    if (family !== 'IPv4' || internal || address.startsWith('169.254.') || cidr === null) return []
    const network = ipaddr.IPv4.networkAddressFromCIDR(cidr).toByteArray()
    return [network.map((part, at) => (at === 3 ? part + 1 : part)).join('.')]
  })
  return [...new Set(gateways)]
}

type Exchange = Awaited<ReturnType<RouterAccess['request']>>

async function exchange(
  url: string,
  signal: AbortSignal,
  soap?: { readonly action: string; readonly body: string },
): Promise<Exchange> {
  const method = soap ? 'POST' : 'GET'
  const sending = request(url, { method, signal, agent: false, headers: soap ? soapHeaders(soap) : {} })
  // Those before the answer are thrown below; later ones end the reading.
  sending.on('error', () => undefined)
  sending.end(soap?.body)
  try {
    const [response] = (await once(sending, 'response')) as [IncomingMessage]
    const localAddress = response.socket.localAddress ?? ''
    return { status: response.statusCode ?? 0, text: await readText(response), localAddress }
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  }
}

function soapHeaders({ action, body }: { readonly action: string; readonly body: string }) {
  return {
    SOAPAction: action,
    'Content-Type': 'text/xml; charset="utf-8"',
    'Content-Length': Buffer.byteLength(body),
  }
}

/** Keeps the record in a JSON file, which is replaced as a whole at each change. */
export function createMappingRecord(path: string, log: Log): MappingRecord {
  const open = new Map<string, PortMapping>()
  let last: Promise<void> | undefined
  const before = read()

  return {
    leftovers: () => before,
    add: (mapping) => change(() => open.set(keyOf(mapping), mapping)),
    remove: (mapping) => change(() => open.delete(keyOf(mapping))),
  }

  async function read(): Promise<readonly PortMapping[]> {
    const text = await readFile(path, 'utf8').catch(() => '')
    const mappings = stored.parse(parseJson(text))
    for (const mapping of mappings) open.set(keyOf(mapping), mapping)
    return mappings
  }

  function change(apply: () => void): Promise<void> {
    last = (last ?? before.then(() => {})).then(async () => {
      const old = serialized()
      apply()
      if (serialized() !== old) await writeOwnFile(path, serialized())
    })
    last = last.catch((error: unknown) =>
      log.warn('open ports of the router cannot be recorded', { cause: String(error) }),
    )
    return last
  }

  function serialized(): string {
    return JSON.stringify([...open.values()])
  }
}

function keyOf({ method, router, transport, localPort }: PortMapping): string {
  return [method, router, transport, localPort].join(' ')
}

const port = z.int().min(1).max(65_535)
const mappedPort = z.object({
  router: z.string(),
  transport: z.enum(['tcp', 'udp']),
  localPort: port,
  external: z.object({ address: z.string(), port }),
})
const storedMapping = z.discriminatedUnion('method', [
  mappedPort.extend({ method: z.literal('nat-pmp') }),
  mappedPort.extend({ method: z.literal('upnp'), service: z.string() }),
])
/** None for anything that is no such list. A mapping by another method, of another version, runs out by itself. */
const stored = z
  .array(storedMapping.or(z.unknown().transform(() => undefined)))
  .max(64)
  .catch([])
  .transform((mappings) => mappings.filter((mapping) => mapping !== undefined))
