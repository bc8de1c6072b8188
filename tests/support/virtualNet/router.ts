import type { Clock } from '@lantern-room/base/async'
import { type Endpoint, formatEndpoint } from '@lantern-room/easytier/wire'

/**
 * How a house is connected. `open`: its one machine has the public address itself. `cone`: one outside port for each
 * inside one. `symmetric`: another, random one for each target. Both let in only who was sent something before, by
 * address and port.
 */
export type NatKind = 'open' | 'cone' | 'symmetric'

export type Protocol = 'tcp' | 'udp'

/** The table of a router. */
export type Router = {
  readonly nat: NatKind
  /** A packet goes out. @returns as whom the internet sees the sender, without the address: the outside port */
  leave(protocol: Protocol, from: Endpoint, to: Endpoint): number
  /** A packet comes in. @returns whom it is for; undefined when nothing was sent to its sender from that port */
  enter(protocol: Protocol, port: number, from: Endpoint): Endpoint | undefined
  /** Whose port that is, whoever asks. */
  ownerOf(protocol: Protocol, port: number): Endpoint | undefined
  /** As after it was switched off and on. */
  forget(): void
}

type Mapping = {
  readonly key: string
  readonly inside: Endpoint
  readonly allowed: Set<string>
  usedAt: number
}

const IDLE_MS: Readonly<Record<Protocol, number>> = { udp: 120_000, tcp: 240_000 }

export function createRouter(nat: NatKind, clock: Clock, random: () => number): Router {
  const tables = { udp: createTable(), tcp: createTable() }

  return {
    nat,
    leave(protocol, from, to) {
      const { byKey, byPort } = tables[protocol]
      const key = nat === 'symmetric' ? `${formatEndpoint(from)} ${formatEndpoint(to)}` : formatEndpoint(from)
      const known = byKey.get(key)
      const port = known !== undefined && isFresh(protocol, known) ? known : freshPort(protocol, from.port)
      const mapping = byPort.get(port) ?? { key, inside: from, allowed: new Set<string>(), usedAt: 0 }
      mapping.allowed.add(formatEndpoint(to))
      mapping.usedAt = clock.now()
      byKey.set(key, port)
      byPort.set(port, mapping)
      return port
    },
    enter(protocol, port, from) {
      const mapping = isFresh(protocol, port) ? tables[protocol].byPort.get(port) : undefined
      if (!mapping?.allowed.has(formatEndpoint(from))) return undefined
      mapping.usedAt = clock.now()
      return mapping.inside
    },
    ownerOf: (protocol, port) => tables[protocol].byPort.get(port)?.inside,
    forget() {
      for (const { byKey, byPort } of Object.values(tables)) {
        byKey.clear()
        byPort.clear()
      }
    },
  }

  /** Drops a mapping that was not used for too long. */
  function isFresh(protocol: Protocol, port: number): boolean {
    const { byKey, byPort } = tables[protocol]
    const mapping = byPort.get(port)
    if (!mapping) return false
    if (clock.now() - mapping.usedAt < IDLE_MS[protocol]) return true
    byPort.delete(port)
    if (byKey.get(mapping.key) === port) byKey.delete(mapping.key)
    return false
  }

  /** A cone router keeps the port where it can, as most do. */
  function freshPort(protocol: Protocol, wanted: number): number {
    let port = nat === 'symmetric' ? anyPort() : wanted
    while (isFresh(protocol, port)) port = anyPort()
    return port
  }

  function anyPort(): number {
    return 1024 + Math.floor(random() * 64_512)
  }
}

function createTable() {
  return { byKey: new Map<string, number>(), byPort: new Map<number, Mapping>() }
}
