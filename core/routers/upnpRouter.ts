import { systemCode } from '@lantern-room/base'
import type { Deferred } from '@lantern-room/base/async'
import { refusalOf } from '@lantern-room/base/network'
import ipaddr from 'ipaddr.js'
import {
  encodeCall,
  encodeSearches,
  readElement,
  readSearchAnswer,
  readServices,
  SSDP_ADDRESS,
  SSDP_PORT,
  type WanService,
} from './igd'
import type { UpnpMapping } from './ports'
import { askByDatagrams, LEASE_MS, type Router, type RouterOptions } from './routers'

const SEARCH_MS = 500
/** Descriptions that are read of one device, and of all: any machine of the LAN may answer as often as it likes. */
const MAX_DESCRIPTIONS = { perDevice: 4, total: 32 }
/** Seen in the router's list of open ports. */
const DESCRIPTION = 'LanternRoom'
/** Errors of AddPortMapping: the port belongs to another machine; only mappings for ever are supported. */
const CONFLICT = '718'
const ONLY_PERMANENT = '725'
/** Other external ports that are tried after a conflict. */
const PORTS_TRIED = 4

/** The first router that answers and tells its public address. @throws Error when there is none, or the signal's reason */
export async function findUpnpRouter(
  options: RouterOptions,
  signal: AbortSignal,
): Promise<Router<UpnpMapping>> {
  const service = await search(options, signal)
  return {
    method: 'upnp',
    async map(transport, localPort, externalPort, mapSignal) {
      const { text, localAddress } = await call(options, service, 'GetExternalIPAddress', {}, mapSignal)
      const address = readElement(text, 'NewExternalIPAddress') ?? ''
      if (!ipaddr.IPv4.isValidFourPartDecimal(address)) throw new Error('the router has no public address')
      const port = await addMapping(options, service, mapSignal, {
        transport,
        localPort,
        localAddress,
        externalPort,
      })
      return {
        method: 'upnp',
        router: service.url,
        service: service.type,
        transport,
        localPort,
        external: { address, port },
      }
    },
  }
}

/** @throws Error, or the signal's reason */
export async function removeByUpnp(
  options: RouterOptions,
  { router, service, transport, external }: UpnpMapping,
  signal: AbortSignal,
): Promise<void> {
  await call(
    options,
    { url: router, type: service },
    'DeletePortMapping',
    { NewRemoteHost: '', NewExternalPort: external.port, NewProtocol: transport.toUpperCase() },
    signal,
  )
}

function search(options: RouterOptions, signal: AbortSignal): Promise<WanService> {
  const asked = new Set<string>()
  const question = {
    to: { address: SSDP_ADDRESS, port: SSDP_PORT },
    everyMs: SEARCH_MS,
    requests: encodeSearches(),
    take({ resolve }: Deferred<WanService>, bytes: Uint8Array, from: { readonly address: string }) {
      const at = readSearchAnswer(bytes, from.address)
      if (at === undefined || asked.has(at)) return
      const ofDevice = [...asked].filter((url) => new URL(url).hostname === from.address)
      const { perDevice, total } = MAX_DESCRIPTIONS
      if (ofDevice.length >= perDevice || asked.size >= total) return
      asked.add(at)
      // A device that describes itself wrongly is as none: another one may answer.
      describe(at).then(resolve, () => undefined)
    },
  }
  return askByDatagrams(options, question, signal)

  async function describe(at: string): Promise<WanService> {
    refuseOther(options, at)
    const [service] = readServices((await options.routers.request(at, signal)).text, at)
    if (!service) throw new Error('the device opens no ports')
    return service
  }
}

type Wanted = {
  readonly transport: 'tcp' | 'udp'
  readonly localPort: number
  readonly localAddress: string
  readonly externalPort: number
}

/** @returns the external port. @throws Error */
async function addMapping(
  options: RouterOptions,
  service: WanService,
  signal: AbortSignal,
  wanted: Wanted,
): Promise<number> {
  let terms: Terms = { port: wanted.externalPort, leaseS: LEASE_MS / 1000 }
  for (let tries = 0; ; tries += 1) {
    try {
      await call(options, service, 'AddPortMapping', mappingValues(wanted, terms), signal)
      return terms.port
    } catch (error) {
      const next = nextTerms(terms, systemCode(error))
      if (next === undefined || tries === PORTS_TRIED) throw error
      terms = next
    }
  }
}

type Terms = { readonly port: number; readonly leaseS: number }

/** The next request after a refusal; undefined when there is nothing else to ask for. */
function nextTerms({ port, leaseS }: Terms, code: string | undefined): Terms | undefined {
  if (code === ONLY_PERMANENT && leaseS > 0) return { port, leaseS: 0 }
  if (code === CONFLICT) return { port: port < 65_535 ? port + 1 : 1024, leaseS }
  return undefined
}

function mappingValues({ transport, localPort, localAddress }: Wanted, { port, leaseS }: Terms) {
  return {
    NewRemoteHost: '',
    NewExternalPort: port,
    NewProtocol: transport.toUpperCase(),
    NewInternalPort: localPort,
    NewInternalClient: localAddress,
    NewEnabled: 1,
    NewPortMappingDescription: DESCRIPTION,
    NewLeaseDuration: leaseS,
  }
}

/**
 * Anything in the LAN may answer in a router's name, and the record of the last run may be of another network.
 * @throws OutboundRefusal where it is no router of this machine's networks
 */
function refuseOther({ transports, routers }: RouterOptions, url: string): void {
  const { hostname: host, port, pathname, search, username, password } = new URL(url)
  const { isOwnAddress, isOwnName } = transports.machine
  const hasUserInfo = username !== '' || password !== ''
  const path = pathname + search
  const refusal = refusalOf(
    { origin: 'router', scheme: 'http', host, port: Number(port) || 80, path, hasUserInfo, address: host },
    { isOwnAddress, isOwnName, isOnOwnSubnet: (address) => routers.localAddress(address) !== undefined },
  )
  if (refusal) throw refusal
}

/** @throws Error with the router's own code for why it refuses, another Error, or the signal's reason */
async function call(
  options: RouterOptions,
  { url, type }: WanService,
  action: string,
  values: Readonly<Record<string, string | number>>,
  signal: AbortSignal,
) {
  refuseOther(options, url)
  const answer = await options.routers.request(url, signal, encodeCall(type, action, values))
  if (answer.status === 200) return answer
  const code = readElement(answer.text, 'errorCode')
  throw Object.assign(new Error(`the router refuses: ${code ?? 'without a reason'}`), { code })
}
