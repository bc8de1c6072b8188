import type { Clock } from '#core/async/clock'
import { parseIpv6 } from '../wire/addresses'
import { type ByteRate, createByteRate } from './byteRate'

/**
 * What connections from one place may take together: from an IPv4 address; in IPv6 from the networks of 64, 56 and 48 bits
 * around an address, since providers give a customer any of them. The wider two have larger shares.
 */
export type PrefixShares = {
  /** @returns undefined when one of the networks around the address has all its connections */
  enter(address: string): PrefixShare | undefined
}

/** The part of one connection. */
export type PrefixShare = {
  /** What it sends has to be within each of them. */
  readonly rates: readonly ByteRate[]
  /** To be called once, when the connection has closed. */
  leave(): void
}

type Group = {
  readonly key: string
  readonly rates: readonly ByteRate[]
  connections: number
  emptySince: number
}

/** How many shares of one address a network of 56 and one of 48 bits have. */
const SHARES_OF_56 = 4
const SHARES_OF_48 = 16
/** After this a rate is full again, so that it can be forgotten. */
const KEEP_MS = 1000

/** @param limits of an IPv4 address or a network of 64 bits; without a rate any number of bytes may pass */
export function createPrefixShares(
  limits: { readonly connections: number; readonly bytesPerSecond: number | undefined },
  clock: Clock,
): PrefixShares {
  const groups = new Map<string, Group>()
  let sweptAt = clock.now()
  return {
    enter(address) {
      sweep()
      const prefixes = prefixesOf(address)
      const isFull = prefixes.some(
        ({ key, shares }) => (groups.get(key)?.connections ?? 0) >= limits.connections * shares,
      )
      if (isFull) return undefined
      const around = prefixes.map(groupOf)
      for (const group of around) group.connections += 1
      return {
        rates: around.flatMap(({ rates }) => rates),
        leave() {
          for (const group of around) {
            group.connections -= 1
            group.emptySince = clock.now()
          }
        },
      }
    },
  }

  function groupOf({ key, shares }: Prefix): Group {
    const known = groups.get(key)
    if (known) return known
    const { bytesPerSecond } = limits
    const rates = bytesPerSecond === undefined ? [] : [createByteRate(bytesPerSecond * shares, clock)]
    const group: Group = { key, rates, connections: 0, emptySince: clock.now() }
    groups.set(key, group)
    return group
  }

  /** Those without connections stay for a second: otherwise a new connection would have a full rate at once. */
  function sweep(): void {
    const now = clock.now()
    if (now - sweptAt < KEEP_MS) return
    sweptAt = now
    for (const { key, connections, emptySince } of groups.values())
      if (connections === 0 && now - emptySince >= KEEP_MS) groups.delete(key)
  }
}

type Prefix = { readonly key: string; readonly shares: number }

function prefixesOf(address: string): readonly Prefix[] {
  const words = parseIpv6(address)
  if (words === undefined) return [{ key: address, shares: 1 }]
  const [high, low] = words
  return [
    { key: `${high}:${low}/64`, shares: 1 },
    { key: `${high}:${low >>> 8}/56`, shares: SHARES_OF_56 },
    { key: `${high}:${low >>> 16}/48`, shares: SHARES_OF_48 },
  ]
}
