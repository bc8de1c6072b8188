import { everyPacket, type Ipv4Vector, type PacketVector, unhex } from './easytierVectors'

/** The payload of a recorded packet, opened and decompressed. */
export function plainTextOf(packet: PacketVector): Uint8Array {
  return unhex(packet.compressed?.plaintext ?? packet.sealed?.plaintext ?? '')
}

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
