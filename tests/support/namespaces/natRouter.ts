/**
 * How the router of a house treats what goes out: `cone` keeps a port's address for all targets and lets in only who was
 * written to; `symmetric` gives each target another port, at random; `open` gives the player an address of the internet.
 */
export type RouterKind = 'cone' | 'symmetric' | 'open'

/**
 * For `nft -f`, where the line is `wan0`. What comes unasked from outside is dropped before it is remembered, or its port would
 * be taken when the house uses it.
 */
export function routerRules(kind: RouterKind, blocksUdp: boolean): string {
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
export const IPV6_FIREWALL = [
  'table ip6 house6 {',
  'chain through { type filter hook forward priority 0;',
  'iifname "wan0" ct state new drop',
  '}',
  '}',
].join('\n')
