import type { Family } from '../network/multicastInterfaces'

/** The multicast groups and the port where games announce their worlds. */
export const LAN_GROUPS: Readonly<Record<Family, string>> = { ipv4: '224.0.2.60', ipv6: 'ff75:230::60' }
export const LAN_PORT = 4445

/**
 * The source port of announcements of forwards. Every listener of this software, another instance on this machine included,
 * recognises by it that they are no game. No system assigns this port to a socket that did not ask for it.
 * @see docs/decisions.md, D61
 */
export const FORWARD_SOURCE_PORT = 24_445
