import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { findProgram } from '../process/findProgram'
import { hasNamespaces, insideOf, removeStale, runIn, WHY_NO_NAMESPACES } from './namespaces'
import { type Carried, type LineFigures, openSlowLine } from './natLine'
import { startPortMapping } from './portMapping'

const run = promisify(execFile)

export const hasNat = hasNamespaces && findProgram('nft') !== undefined
export const WHY_NO_NAT = hasNamespaces ? 'routers need nft' : WHY_NO_NAMESPACES

/**
 * How the router of a house treats what goes out: `cone` keeps a port's address for all targets and lets in only who was
 * written to; `symmetric` gives each target another port, at random; `open` gives the player an address of the internet.
 */
type RouterKind = 'cone' | 'symmetric' | 'open'

export type House = {
  readonly router: RouterKind
  readonly blocksUdp?: boolean
  /** Addresses of IPv6 for the house, and a router that lets in only what was asked for. */
  readonly ipv6?: 'firewalled'
  /** The router opens ports for who asks; its line then has an address that does not look reserved. */
  readonly opensPorts?: 'nat-pmp' | 'upnp'
  /** To the internet; undefined for one that takes no time. */
  readonly line?: LineFigures
}

export type NatPlace = {
  readonly namespace: string
  /** Put before a command, so that it runs there. */
  readonly inside: readonly string[]
  readonly address: string
}

/** A player at home. */
export type NatHome = NatPlace & {
  /** The namespace of its router. */
  readonly router: string
}

export type Side = 'host' | 'guest' | 'friend'

export type NatWorld = {
  readonly host: NatHome
  readonly guest: NatHome
  /** Undefined without a third house. */
  readonly friend: NatHome | undefined
  /** A machine of the internet with three addresses. */
  readonly public: NatPlace & { readonly addresses: readonly [string, string, string] }
  /** Removes everything. Programs inside have to be ended before. @returns what the slow lines have carried */
  remove(): Promise<readonly { readonly there: Carried; readonly back: Carried }[]>
}

const SERVERS = ['192.0.2.10', '192.0.2.11', '192.0.2.12'] as const
/** Of the line between router and internet; where the player is on it, too, the upper half is the house's own net. */
const NETS = { host: '198.51.100', guest: '203.0.113', friend: '198.18.33' } as const
/** miniupnpd opens no ports on the addresses above, since they are reserved for documents. */
const OPENING_NETS = { host: '45.11.100', guest: '45.22.113', friend: '45.33.113' } as const
const LANS = { host: '192.168.11', guest: '192.168.22', friend: '192.168.33' } as const

let opened = 0

export type Houses = { readonly host: House; readonly guest: House; readonly friend?: House }

/** Two houses or three, and a server on the internet. Between the houses a packet takes both lines' delay. */
export async function openNatWorld(houses: Houses): Promise<NatWorld> {
  opened += 1
  const prefix = `lr${process.pid}-nat${opened}`
  await removeStale()
  const names: string[] = []
  const closing: (() => Promise<unknown>)[] = []
  const lines: (() => Promise<{ there: Carried; back: Carried }>)[] = []
  const add = async (label: string) => {
    const name = `${prefix}-${label}`
    await run('ip', ['netns', 'add', name])
    names.push(name)
    return name
  }
  const remove = async () => {
    await Promise.all(closing.map((close) => close()))
    const carried = await Promise.all(lines.map((close) => close()))
    for (const name of names) await run('ip', ['netns', 'del', name]).catch(() => undefined)
    return carried
  }
  try {
    const internet = await add('internet')
    const server = await add('public')
    await runIn(
      internet,
      'ip link set lo up',
      'sysctl -qw net.ipv4.ip_forward=1',
      `ip link add public type veth peer name wan0 netns ${server}`,
      'ip addr add 192.0.2.1/24 dev public',
      'ip link set public up',
    )
    await runIn(
      server,
      'ip link set lo up',
      ...SERVERS.map((address) => `ip addr add ${address}/24 dev wan0`),
      'ip link set wan0 up',
      'ip route add default via 192.0.2.1',
    )
    const host = await addHouse('host', houses.host)
    const guest = await addHouse('guest', houses.guest)
    const friend = houses.friend && (await addHouse('friend', houses.friend))
    return {
      host,
      guest,
      friend,
      remove,
      public: { namespace: server, inside: insideOf(server), address: SERVERS[0], addresses: SERVERS },
    }

    async function addHouse(side: Side, house: House): Promise<NatHome> {
      const { router: kind, blocksUdp = false, line, opensPorts, ipv6 } = house
      const net = (opensPorts ? OPENING_NETS : NETS)[side]
      const router = await add(`${side}-router`)
      const player = await add(side)
      const [address, gateway] =
        kind === 'open' ? [`${net}.130`, `${net}.129`] : [`${LANS[side]}.2`, `${LANS[side]}.1`]
      const length = kind === 'open' ? 25 : 24
      if (line) {
        const ends = [
          { namespace: router, card: 'wan0' },
          { namespace: internet, card: side },
        ] as const
        const slow = await openSlowLine(...ends, line)
        lines.push(slow.close)
      } else await runIn(internet, `ip link add ${side} type veth peer name wan0 netns ${router}`)
      // A card of a program drops what it is given while that program does not run.
      const queue = line ? 'txqueuelen 10000' : ''
      await runIn(
        internet,
        `ip addr add ${net}.1/25 dev ${side}`,
        `ip link set ${side} ${queue} up`,
        ...(kind === 'open' ? [`ip route add ${net}.128/25 via ${net}.2`] : []),
      )
      await runIn(
        router,
        'ip link set lo up',
        'sysctl -qw net.ipv4.ip_forward=1',
        `ip link add lan0 type veth peer name lan0 netns ${player}`,
        `ip addr add ${net}.2/25 dev wan0`,
        `ip addr add ${gateway}/${length} dev lan0`,
        `ip link set wan0 ${queue} up`,
        'ip link set lan0 up',
        `ip route add default via ${net}.1`,
        `nft -f - <<'END'\n${routerRules(kind, blocksUdp)}\nEND`,
      )
      if (opensPorts) closing.push(await startPortMapping(router, opensPorts))
      await runIn(
        player,
        'ip link set lo up',
        `ip addr add ${address}/${length} dev lan0`,
        'ip link set lan0 up',
        `ip route add default via ${gateway}`,
      )
      if (ipv6) await addIpv6({ internet, router, player, side })
      return { namespace: player, inside: insideOf(player), address, router }
    }
  } catch (error) {
    await remove()
    throw error
  }
}

/** Its own /48: the first network is the line's, the second the house's. */
const IPV6_NETS = { host: '2a0e:b107:11', guest: '2a0e:b107:22', friend: '2a0e:b107:33' } as const

async function addIpv6(names: {
  readonly internet: string
  readonly router: string
  readonly player: string
  readonly side: Side
}): Promise<void> {
  const { internet, router, player, side } = names
  const net = IPV6_NETS[side]
  await runIn(
    internet,
    'sysctl -qw net.ipv6.conf.all.forwarding=1',
    `ip addr add ${net}:0::1/64 dev ${side} nodad`,
    `ip route add ${net}::/48 via ${net}:0::2`,
  )
  await runIn(
    router,
    'sysctl -qw net.ipv6.conf.all.forwarding=1',
    `ip addr add ${net}:0::2/64 dev wan0 nodad`,
    `ip addr add ${net}:1::1/64 dev lan0 nodad`,
    `ip route add default via ${net}:0::1`,
    `nft -f - <<'END'\n${IPV6_FIREWALL}\nEND`,
  )
  await runIn(player, `ip addr add ${net}:1::2/64 dev lan0 nodad`, `ip route add default via ${net}:1::1`)
}

/**
 * For `nft -f`, where the line is `wan0`. What comes unasked from outside is dropped before it is remembered, or its port would
 * be taken when the house uses it.
 */
function routerRules(kind: RouterKind, blocksUdp: boolean): string {
  const mapping = { cone: 'masquerade', symmetric: 'masquerade random,fully-random', open: undefined }[kind]
  return [
    'table ip house {',
    ...(mapping
      ? [
          'chain out { type nat hook postrouting priority 100;',
          `oifname "wan0" ${mapping}`,
          '}',
          'chain in { type filter hook input priority 0;',
          'iifname "wan0" ct state new drop',
          '}',
        ]
      : []),
    'chain through { type filter hook forward priority 0;',
    ...(blocksUdp ? ['meta l4proto udp drop'] : []),
    // What the router was asked to let in is rewritten before it comes here.
    ...(mapping ? ['iifname "wan0" ct state new ct status dnat accept'] : []),
    ...(mapping ? ['iifname "wan0" ct state new drop'] : []),
    '}',
    '}',
  ].join('\n')
}

/** What most routers do in IPv6: addresses stay as they are, and what nobody has asked for does not come in. */
const IPV6_FIREWALL = [
  'table ip6 house6 {',
  'chain through { type filter hook forward priority 0;',
  'iifname "wan0" ct state new drop',
  '}',
  '}',
].join('\n')
