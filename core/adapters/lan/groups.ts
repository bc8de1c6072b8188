import type { Family } from './interfaces'

/** Where games announce their worlds. */
export const LAN_GROUPS: Readonly<Record<Family, string>> = { ipv4: '224.0.2.60', ipv6: 'ff75:230::60' }
export const LAN_PORT = 4445

/**
 * Announcements of forwards leave from this port, by which every listener of this software knows that they are no game:
 * one that runs beside us on the machine, too. No system gives it to a socket that did not ask for it.
 */
export const FORWARD_SOURCE_PORT = 24_445

/** Interfaces come and go with cables, VPNs and sleep. */
export const RESCAN_MS = 5000
