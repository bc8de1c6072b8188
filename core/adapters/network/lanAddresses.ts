import { networkInterfaces } from 'node:os'
import { isSiteAddress } from '#core/addressRanges'
import { type NetworkInterfaces, reachableAddresses } from './networkInterfaces'

/** Home networks are in 192.168/16 mostly; in 172.16/12 programs make networks of this machine alone. */
const LIKELIEST = ['192.168.', '10.', '172.'] as const

/** The addresses of this machine in private networks, the one that a phone most likely reaches first. */
export function lanAddresses(all: NetworkInterfaces = networkInterfaces()): readonly string[] {
  const own = reachableAddresses(all, undefined).filter(isSiteAddress)
  return [...own].sort((a, b) => rankOf(a) - rankOf(b))
}

function rankOf(address: string): number {
  const rank = LIKELIEST.findIndex((start) => address.startsWith(start))
  return rank < 0 ? LIKELIEST.length : rank
}
