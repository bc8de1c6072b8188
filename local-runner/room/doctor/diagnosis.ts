import type { GameAnnouncement, IsPortFree, ProbeNode } from '#core/room/ports'

/** The checks of this machine; compose.ts creates them. None takes longer than its limit. */
export type DoctorDependencies = {
  readonly nodeVersion: string
  readonly platform: NodeJS.Platform
  readonly nodes: readonly string[]
  /** Whether the settings limit the LAN to this machine. */
  readonly isLoopbackOnly: boolean
  readonly isPrivate: boolean
  readonly ports: { readonly room: number; readonly scaffolding: number }
  /** @returns the data folder. @throws ServiceError when it cannot be used */
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
  /** How the router opens ports; undefined when it does not, `off` when it is not to be asked. */
  portMapping(limitMs: number): Promise<'nat-pmp' | 'upnp' | 'off' | undefined>
  /** By STUN; undefined when no server answers. */
  natTypes(limitMs: number): Promise<NatTypes | undefined>
}

export type NatTypes = { readonly udp: string; readonly tcp: string; readonly outlook: string }

export type Finding = {
  /** Name of the check, for programs. */
  readonly check: string
  /** `note` is worth knowing, but does not keep players from meeting. */
  readonly state: 'ok' | 'note' | 'failed'
  /** One sentence. */
  readonly text: string
  /** What to do about it, one sentence. */
  readonly hint?: string
}

/** How players can meet. */
export type Way = 'nodes' | 'lan'

export type Diagnosis = {
  readonly findings: readonly Finding[]
  readonly ways: readonly Way[]
  /** Whether rooms can be played in at all. */
  readonly canMeet: boolean
}
