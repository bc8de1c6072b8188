import { parseIpv6 } from '../wire/addresses'

/** Counts connections per address; in IPv6 per network of 64 bits, since one customer has a whole one. */
export type AddressCounts = {
  count(address: string): number
  /** @returns a function that takes it back; to be called once */
  add(address: string): () => void
}

export function createAddressCounts(): AddressCounts {
  const counts = new Map<string, number>()
  return {
    count: (address) => counts.get(groupOf(address)) ?? 0,
    add(address) {
      const group = groupOf(address)
      counts.set(group, (counts.get(group) ?? 0) + 1)
      return () => {
        const left = (counts.get(group) ?? 1) - 1
        if (left > 0) counts.set(group, left)
        else counts.delete(group)
      }
    },
  }
}

function groupOf(address: string): string {
  const parts = parseIpv6(address)
  return parts === undefined ? address : `${parts[0]}:${parts[1]}`
}
