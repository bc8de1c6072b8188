import { everyPacket, type Ipv4Vector, plainTextOf } from '#support/network/easytierVectors'

/** All recorded IPv4 packets, as bytes and as the recording describes them. */
export function recordedIpPackets(): readonly {
  readonly at: string
  readonly bytes: Uint8Array
  readonly ipv4: Ipv4Vector
}[] {
  return everyPacket().flatMap(({ at, packet }) =>
    packet.ipv4 ? { at, bytes: plainTextOf(packet), ipv4: packet.ipv4 } : [],
  )
}
