/**
 * UPnP Internet Gateway Device: how a router is found (SSDP), described, and asked for ports (SOAP). Both versions of the device.
 * @see UPnP Device Architecture 1.1, sections 1.3 and 3; WANIPConnection:1 and :2
 */

export const SSDP_ADDRESS = '239.255.255.250'
export const SSDP_PORT = 1900

/** A service of a router that opens ports. */
export type WanService = { readonly url: string; readonly type: string }

const DEVICES = ['1', '2'].map((version) => `urn:schemas-upnp-org:device:InternetGatewayDevice:${version}`)
const SERVICE = /^urn:schemas-upnp-org:service:WAN(IP|PPP)Connection:[12]$/
const MAX_SERVICES = 64

/** The questions to all devices of the LAN: which of you is a router? */
export function encodeSearches(): readonly Uint8Array[] {
  return DEVICES.map((device) =>
    new TextEncoder().encode(
      [
        'M-SEARCH * HTTP/1.1',
        `HOST: ${SSDP_ADDRESS}:${SSDP_PORT}`,
        'MAN: "ssdp:discover"',
        'MX: 1',
        `ST: ${device}`,
        '',
        '',
      ].join('\r\n'),
    ),
  )
}

/**
 * The URL of the description of a router that has answered.
 * @param from the answer's sender: a description on another machine is not read
 * @returns undefined for anything else
 */
export function readSearchAnswer(datagram: Uint8Array, from: string): string | undefined {
  const text = new TextDecoder().decode(datagram)
  if (!/^HTTP\/1\.[01] 200\b/i.test(text) || !/^ST:.*InternetGatewayDevice/im.test(text)) return undefined
  const [, location = ''] = /^LOCATION:\s*(\S+)\s*$/im.exec(text) ?? []
  if (!URL.canParse(location)) return undefined
  const url = new URL(location)
  return url.protocol === 'http:' && url.hostname === from ? url.href : undefined
}

/**
 * The services that open ports, from a router's description; those of other machines are left out. Any machine of the LAN may send
 * one that is made to take long: it is read in linear time.
 * @param at the address of the description
 */
export function readServices(description: string, at: string): readonly WanService[] {
  const base = new URL(at)
  return description
    .split('<service>', MAX_SERVICES + 1)
    .slice(1)
    .flatMap((service) => {
      const type = readElement(service, 'serviceType') ?? ''
      const path = readElement(service, 'controlURL') ?? ''
      if (!SERVICE.test(type) || path === '' || !URL.canParse(path, at)) return []
      const url = new URL(path, base)
      return url.protocol === 'http:' && url.hostname === base.hostname ? [{ url: url.href, type }] : []
    })
}

/** The header SOAPAction and the body of a call. Values are numbers, addresses and plain words: nothing has to be escaped. */
export function encodeCall(
  type: string,
  action: string,
  values: Readonly<Record<string, string | number>>,
): { readonly action: string; readonly body: string } {
  const elements = Object.entries(values).map(([name, value]) => `<${name}>${value}</${name}>`)
  return {
    action: `"${type}#${action}"`,
    body: `<?xml version="1.0"?>\r\n<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" s:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"><s:Body><u:${action} xmlns:u="${type}">${elements.join('')}</u:${action}></s:Body></s:Envelope>`,
  }
}

/** The text of an element; undefined when there is none. */
export function readElement(xml: string, name: string): string | undefined {
  return new RegExp(`<(?:\\w+:)?${name}(?:\\s[^<>]*)?>([^<]*)</`).exec(xml)?.[1]?.trim()
}
