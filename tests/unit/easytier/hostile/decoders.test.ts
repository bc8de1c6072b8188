import { createPacketReader, decodeStunStream, rpcMethods } from '@lantern-room/easytier/wire'
import { createPacketCipher, openCompressed } from '#internal/easytier/crypto/packetCipher'
import { decodeIpv4 } from '#internal/easytier/ip/ipv4'
import { createReassembly } from '#internal/easytier/ip/reassembly'
import { decodeUdp } from '#internal/easytier/ip/udp'
import { createRpcAssembly } from '#internal/easytier/rpc/rpcAssembly'
import { readAnswer, readCall } from '#internal/easytier/rpc/rpcMessage'
import { decodePiece } from '#internal/easytier/rpc/rpcPiece'
import { handshakeRequest, kcpConnData, rpcMethodNamed } from '#internal/easytier/wire/messages'
import { decodePacket, encodePacket, packetFlags } from '#internal/easytier/wire/packet'
import { decodePeerRecord } from '#internal/easytier/wire/peerRecord'
import { decodeRouteSync } from '#internal/easytier/wire/routeSync'
import { decodeStun, isStun } from '#internal/easytier/wire/stun'
import { decodeDatagram } from '#internal/easytier/wire/udpFrame'
import { assert, suite } from '#support/runner/suite'
import { noise } from '#support/values/bytes'
import { mutate } from '#support/values/mutate'
import { createPrng } from '#support/values/prng'
import { recorded } from './mutation'

const test = suite('easytier: damaged bytes', { timeoutMs: 300_000 })

const seal = createPacketCipher(noise(16), noise)
const PACKETS = 60_000
// Most of the time would go into the stacks of errors that are caught at once.
Error.stackTraceLimit = 0

test(`${PACKETS} recorded packets with a few bytes changed, cut or doubled: no decoder throws, and buffered pieces stay bounded`, () => {
  const random = createPrng(1).next
  const assembly = createRpcAssembly()
  const reassembly = createReassembly()
  const reader = createPacketReader()
  let tried = 0
  for (let round = 0; tried < PACKETS; round++)
    for (const [at, { type, payload: plain }] of recorded.entries()) {
      const other = recorded[(at + round) % recorded.length]?.payload ?? plain
      const payload = mutate(plain, other, random)
      const now = random() * 2 ** 24
      readAsAnything(mutate(encodePacket({ from: 1, to: 2, type }, payload), other, random), now)
      readAsAnything(payload, now)
      tried += 2
    }
  assert.ok(assembly.size <= 128)
  assert.ok(reassembly.size <= 64)

  function readAsAnything(bytes: Uint8Array, now: number): void {
    reader.push(bytes, () => {})
    decodeDatagram(bytes)
    if (isStun(bytes)) decodeStun(bytes)
    decodeStunStream(bytes)
    handshakeRequest.decode(bytes)
    kcpConnData.decode(bytes)
    decodePeerRecord(bytes)
    decodeRouteSync(bytes)
    openCompressed(bytes, 1200)
    const packet = decodePacket(bytes)
    if (packet) seal.open({ ...packet, flags: packet.flags & ~packetFlags.encrypted })
    const ip = decodeIpv4(bytes)
    const whole = ip && reassembly.add(ip, now, 1)
    if (whole) decodeUdp(whole)
    const piece = decodePiece(bytes)
    const message = piece && assembly.add(piece, now)
    if (!message) return
    const name = rpcMethodNamed(message.method.service, message.method.method)
    const call = readCall(message)
    readAnswer(message)
    if (!name || !call) return
    rpcMethods[name].request.decode(call.request)
    if (name === 'syncRouteInfo') decodeRouteSync(call.request)
  }
})

test('64 KiB of the smallest fields are decoded quickly', () => {
  const startedAt = performance.now()
  for (const start of [
    [0x0a, 0],
    [0x12, 0],
    [0x08, 1],
    [0xc2, 0x3e, 0],
  ]) {
    const bytes = Uint8Array.from(
      { length: 65_536 - (65_536 % start.length) },
      (_, i) => start[i % start.length] ?? 0,
    )
    const nested = (field: number) => Uint8Array.from([field, 0x80, 0x80, 0x04, ...bytes.subarray(0, 65_536)])
    decodeRouteSync(bytes)
    decodeRouteSync(nested(0x22))
    decodeRouteSync(nested(0x2a))
    decodeRouteSync(nested(0x3a))
    decodePeerRecord(bytes)
    rpcMethods.reportPeers.request.decode(nested(0x12))
    rpcMethods.getGlobalPeerMap.response.decode(bytes)
  }
  assert.ok(performance.now() - startedAt < 60_000)
})

test.run()
