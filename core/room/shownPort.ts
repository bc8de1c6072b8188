import type { ExtraPort } from '@lantern-room/protocol'
import type { NumberReason } from './localNumbers'

/** An extra port with the port of this machine that leads to it: at the host the same, at a guest as `numberRule` says. */
export type ShownPort = ExtraPort & {
  /** undefined when no local port could be opened. */
  readonly localTcp: number | undefined
  readonly localUdp: number | undefined
  /** Why the number here differs from the host's, or there is none; undefined where it is the same. */
  readonly whyTcp?: NumberReason | undefined
  readonly whyUdp?: NumberReason | undefined
}

/** At the host both are the same port. */
export function shownAtHost(ports: readonly ExtraPort[]): readonly ShownPort[] {
  return ports.map((port) => ({ ...port, localTcp: port.tcp, localUdp: port.udp }))
}
