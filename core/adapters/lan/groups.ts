import type { Family } from './interfaces'

/** The groups and port that games announce their worlds to. */
export const LAN_GROUPS: Readonly<Record<Family, string>> = { ipv4: '224.0.2.60', ipv6: 'ff75:230::60' }
export const LAN_PORT = 4445

/**
 * Announcements of forwards leave from this port, by which every listener of this software, in another process of
 * this machine as well, recognises that they are not a game. It is outside the range of ephemeral ports.
 */
export const FORWARD_SOURCE_PORT = 24_445

/** Interfaces appear and disappear with cables, VPNs and sleep. */
export const RESCAN_MS = 5000
