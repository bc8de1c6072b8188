import { networkKey } from '#core/easytier/crypto/networkIdentity'
import { createPacketCipher } from '#core/easytier/crypto/packetCipher'
import { decodeIpv4 } from '#core/easytier/ip/ipv4'
import { createRpcAssembly } from '#core/easytier/rpc/rpcAssembly'
import { readAnswer, readCall } from '#core/easytier/rpc/rpcMessage'
import { decodePiece } from '#core/easytier/rpc/rpcPiece'
import { createPacketReader } from '#core/easytier/wire/framing'
import { handshakeRequest, rpcMethodNamed, rpcMethods } from '#core/easytier/wire/messages'
import { decodePacket, packetTypes, sequenceOf } from '#core/easytier/wire/packet'
import { decodeStun, isStun } from '#core/easytier/wire/stun'
import { decodeDatagram, encodeDatagram } from '#core/easytier/wire/udpFrame'
import { hexOf, type NetworkVector, readVectors, sessionNames, unhex } from '#support/network/easytierVectors'
import { encodeTcpFrame } from '#support/network/tcpFrame'
import { assert, suite } from '#support/runner/suite'
import { noise } from '#support/values/bytes'

const test = suite('room network: recorded sessions')

type Event = {
  readonly t_ms: number
  readonly direction: string
  readonly link: string
  readonly bytes?: string
  readonly $?: string
}
type Session = {
  readonly network: NetworkVector
  readonly links: readonly { readonly link: string; readonly carrier: 'tcp' | 'udp' }[]
  readonly events: readonly Event[]
}

assert.is(sessionNames.length, 6)
for (const name of sessionNames) {
  test(`${name}: every event is read down to its message, and its carrier written again`, () => {
    const { network, links, events } = readVectors<Session>(name)
    const seal = createPacketCipher(networkKey(network.network_secret), noise)
    const assembly = createRpcAssembly()
    const seen = new Map<string, number>()
    for (const event of events) {
      // Nothing: the connection ended.
      if (event.bytes === undefined || event.bytes === '') continue
      const carrier = links.find(({ link }) => link === event.link)?.carrier
      const packet = carrier === 'tcp' ? fromFrame(event.bytes) : fromDatagram(event.bytes)
      const what = packet ? readPacket(packet, event.t_ms) : 'carrier'
      seen.set(what, (seen.get(what) ?? 0) + 1)
    }
    for (const kind of ['handshake', 'rpc', 'ping', 'kcp'])
      assert.ok((seen.get(kind) ?? 0) >= 2, `${kind}: ${seen.get(kind)}`)
    assert.is(assembly.size, 0)

    function readPacket(bytes: Uint8Array, now: number): string {
      const packet = decodePacket(bytes)
      assert.ok(packet)
      const payload = seal.open(packet)
      assert.ok(payload, `${now} ms`)
      assert.is(payload.length, packet.plainLength)
      if (packet.type === packetTypes.handshake) {
        assert.is(handshakeRequest.decode(payload)?.myPeerId, packet.from)
        return 'handshake'
      }
      if (packet.type === packetTypes.ping || packet.type === packetTypes.pong) {
        assert.type(sequenceOf(packet), 'number')
        return 'ping'
      }
      if (packet.type === packetTypes.data) {
        assert.ok(decodeIpv4(payload))
        return 'data'
      }
      if (packet.type === packetTypes.rpcRequest || packet.type === packetTypes.rpcResponse) {
        readRpc(payload, now)
        return 'rpc'
      }
      assert.ok(packet.type === packetTypes.kcpSource || packet.type === packetTypes.kcpDestination)
      return 'kcp'
    }

    function readRpc(payload: Uint8Array, now: number): void {
      const piece = decodePiece(payload)
      assert.ok(piece)
      const message = assembly.add(piece, now)
      if (message === undefined) return
      const { service, method } = message.method
      const known = rpcMethodNamed(service, method)
      assert.ok(known, `${service}.${method}`)
      assert.is(message.method.domain, network.network_name)
      const call = readCall(message)
      const answer = readAnswer(message)
      assert.ok(call ?? answer)
      if (call) assert.ok(rpcMethods[known].request.decode(call.request))
      if (answer?.kind === 'response') assert.ok(rpcMethods[known].response.decode(answer.response))
    }
  })
}

function fromFrame(bytes: string): Uint8Array {
  const packets: Uint8Array[] = []
  assert.is(
    createPacketReader().push(unhex(bytes), (packet) => packets.push(packet)),
    true,
  )
  const [packet] = packets
  assert.ok(packet && packets.length === 1)
  assert.is(hexOf(encodeTcpFrame(packet)), bytes)
  return packet
}

function fromDatagram(digits: string): Uint8Array | undefined {
  const bytes = unhex(digits)
  if (isStun(bytes)) {
    assert.ok(decodeStun(bytes))
    return undefined
  }
  const datagram = decodeDatagram(bytes)
  assert.ok(datagram, digits)
  const again = encodeDatagram(datagram.type, datagram.connectionId, datagram.body)
  // Real nodes leave anything in this byte.
  again[5] = bytes[5] ?? 0
  assert.is(hexOf(again), digits)
  return datagram.type === 'data' ? datagram.body : undefined
}

test.run()
