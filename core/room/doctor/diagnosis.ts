import type { Clock } from '#core/async/clock'
import type { GameAnnouncement, IsPortFree, ProbeNode } from '../ports'

/** The checks of this machine, and what they are to look for. No check takes longer than its limit. */
export type DoctorDependencies = {
  readonly nodeVersion: string
  /** The operating system, as in `process.platform` of Node.js. */
  readonly platform: string
  readonly nodes: readonly string[]
  /** Whether the settings limit the LAN to this machine. */
  readonly isLoopbackOnly: boolean
  readonly isPrivate: boolean
  /** The ports that have to be free; undefined for one that this program has open. */
  readonly ports: { readonly room: number | undefined; readonly scaffolding: number | undefined }
  /** @returns the data folder, as it is shown. @throws ServiceError when it cannot be used */
  dataFolder(): Promise<string>
  readonly isPortFree: IsPortFree
  multicast(limitMs: number): Promise<
    readonly {
      readonly interface: string
      readonly isLoopback: boolean
      readonly problem: string | undefined
    }[]
  >
  /** Worlds that are announced on the LAN during that time. */
  worlds(limitMs: number): Promise<readonly GameAnnouncement[]>
  readonly probeNode: ProbeNode
  /** Why no node can be reached, where that is known. */
  outage(nodes: readonly string[]): Promise<'no-internet' | 'wifi-login' | undefined>
  /** How the router opens ports; undefined when it does not, `off` when it is not to be asked. */
  portMapping(limitMs: number): Promise<'pcp' | 'nat-pmp' | 'upnp' | 'off' | undefined>
  /** By STUN; undefined when no server answers. */
  natTypes(limitMs: number): Promise<NatTypes | undefined>
  readonly clock: Clock
}

/** What the router means for connections with other players. */
export type NatKind = 'open' | 'easy' | 'hard' | 'tcp-only' | 'blocked'

export type NatTypes = {
  readonly udp: string
  readonly tcp: string
  readonly kind: NatKind
  readonly outlook: string
}

/** Every finding by its stable id: pages translate by it. */
export const FINDING_IDS = [
  'node-current',
  'node-old',
  'data-folder-usable',
  'data-folder-unusable',
  'room-port-free',
  'room-port-used',
  'scaffolding-port-free',
  'scaffolding-port-used',
  'no-lan-interface',
  'multicast-works',
  'multicast-fails',
  'world-announced',
  'no-world',
  'shared-node-reachable',
  'shared-node-unreachable',
  'shared-node-wrong',
  'no-shared-node',
  'no-internet',
  'wifi-login',
  'nat-open',
  'nat-easy',
  'nat-hard',
  'nat-tcp-only',
  'nat-blocked',
  'nat-unknown',
  'router-opens-ports',
  'router-opens-no-ports',
  'open-room',
  'check-failed',
] as const
export type FindingId = (typeof FINDING_IDS)[number]

/** `note` is worth knowing, but does not keep players from meeting. */
export const FINDING_STATES = ['ok', 'note', 'failed'] as const

export type Finding = {
  /** Which sentence it is: stable, for programs. */
  readonly id: FindingId
  /** Name of the check that found it. */
  readonly check: string
  readonly state: (typeof FINDING_STATES)[number]
  /** One sentence. */
  readonly text: string
  /** What to do about it, one sentence. */
  readonly hint?: string
  /** The port, address, interface, node or world that it is about. */
  readonly subject?: string
}

/** How players can meet. */
export const WAYS = ['nodes', 'lan'] as const
export type Way = (typeof WAYS)[number]

export type Diagnosis = {
  readonly findings: readonly Finding[]
  readonly ways: readonly Way[]
  /** Whether rooms can be played in at all. */
  readonly canMeet: boolean
}
