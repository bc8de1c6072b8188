import ipaddr from 'ipaddr.js'

/** IPv4 and IPv6 addresses and UUIDs as text, and as the 32-bit numbers that messages hold. */

/** @returns the address as a big-endian number; undefined for anything but four decimal parts */
export function parseIpv4(text: string): number | undefined {
  const parts = text.split('.')
  if (parts.length !== 4) return undefined
  let address = 0
  for (const part of parts) {
    const value = /^(0|[1-9]\d{0,2})$/.test(part) ? Number(part) : 256
    if (value > 255) return undefined
    address = address * 256 + value
  }
  return address
}

export function formatIpv4(address: number): string {
  return [address >>> 24, (address >>> 16) & 255, (address >>> 8) & 255, address & 255].join('.')
}

export type FourWords = readonly [number, number, number, number]

/** @returns four big-endian numbers; undefined for anything that RFC 4291 does not allow, and for zones (`%eth0`) */
export function parseIpv6(text: string): FourWords | undefined {
  if (!/^[\da-f:.]+$/i.test(text) || !URL.canParse(`http://[${text}]`)) return undefined
  const groups = ipaddr.IPv6.parse(text).parts.map((part) => part.toString(16).padStart(4, '0'))
  return wordsOf(groups.join(''))
}

/** In the form of RFC 5952, as in URLs: lower case, the longest run of at least two zero groups as `::`. */
export function formatIpv6(words: FourWords): string {
  const groups = words.flatMap((word) => [(word >>> 16).toString(16), (word & 0xffff).toString(16)])
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}

/** @returns undefined for anything but 32 hexadecimal digits in the usual groups */
export function parseUuid(text: string): FourWords | undefined {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return undefined
  return wordsOf(text.replaceAll('-', ''))
}

export function formatUuid(words: FourWords): string {
  const digits = words.map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
  return [0, 8, 12, 16, 20].map((start, i, all) => digits.slice(start, all[i + 1])).join('-')
}

/** @param digits 32 hexadecimal digits */
function wordsOf(digits: string): FourWords {
  const word = (i: number) => Number.parseInt(digits.slice(i * 8, i * 8 + 8), 16)
  return [word(0), word(1), word(2), word(3)]
}
