import ipaddr from 'ipaddr.js'

/** IPv4 and IPv6 addresses as text, and as the 32-bit numbers that messages hold. */

/** @returns the address as a big-endian number; undefined for anything but four decimal parts */
export function parseIpv4(text: string): number | undefined {
  const parts = text.split('.').map((part) => (/^(0|[1-9]\d{0,2})$/.test(part) ? Number(part) : 256))
  if (parts.length !== 4 || parts.some((part) => part > 255)) return undefined
  return parts.reduce((address, part) => address * 256 + part, 0)
}

export function formatIpv4(address: number): string {
  return [address >>> 24, (address >>> 16) & 255, (address >>> 8) & 255, address & 255].join('.')
}

export type FourWords = readonly [number, number, number, number]

/** @returns four big-endian numbers; undefined for anything that RFC 4291 does not allow, and for zones (`%eth0`) */
export function parseIpv6(text: string): FourWords | undefined {
  if (!/^[\da-f:.]+$/i.test(text) || !URL.canParse(`http://[${text}]`)) return undefined
  const { parts } = ipaddr.IPv6.parse(text)
  const word = (at: number) => (parts[at] ?? 0) * 0x1_0000 + (parts[at + 1] ?? 0)
  return [word(0), word(2), word(4), word(6)]
}

/** In the form of RFC 5952, as in URLs: lower case, the longest run of at least two zero groups as `::`. */
export function formatIpv6(words: FourWords): string {
  const groups = words.flatMap((word) => [(word >>> 16).toString(16), (word & 0xffff).toString(16)])
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}
