import { readAnswer } from '#internal/easytier/rpc/rpcMessage'
import { createPacketReader } from '#internal/easytier/wire/framing'
import { handshakeRequest, rpcMethods } from '#internal/easytier/wire/messages'
import { decodePacket, type Packet, packetTypes } from '#internal/easytier/wire/packet'
import { decodeRouteSync } from '#internal/easytier/wire/routeSync'
import { hexOf, type NetworkVector, readVectors, unhex } from '#support/network/easytierVectors'
import { assert, suite } from '#support/runner/suite'
import { callsOf, hello, messagesOf, openMeeting } from './meeting'

const test = suite('relay: replaces the real shared node in recorded sessions')

type Session = {
  readonly network: NetworkVector
  readonly fixed: { readonly peer_id: number }
  readonly links: readonly { readonly far_end: { readonly peer_id: number } }[]
  readonly events: readonly { readonly direction: string; readonly bytes?: string }[]
}
type Recorded = { readonly isFromMember: boolean; readonly bytes: Uint8Array; readonly packet: Packet }

for (const name of ['native-guest-real-host-shared', 'real-guest-native-host-shared']) {
  const { network, fixed, links, events } = readVectors<Session>(`sessions/${name}`)
  const shared = links[0]?.far_end.peer_id ?? 0
  const member = fixed.peer_id
  const recorded = events.flatMap(({ direction, bytes }) =>
    bytes
      ? packetsIn(bytes).map((found) => ({ isFromMember: direction === 'native to real', ...found }))
      : [],
  )
  const identity = { name: network.network_name, secret: network.network_secret }
  const other =
    recorded.find(({ packet: { from, to } }) => ![from, to].includes(0) && ![from, to].includes(shared))
      ?.packet ?? assert.unreachable()

  test(`${name}: packets between members are forwarded unchanged, and the relay's own answers are equivalent`, async () => {
    const otherId = other?.from === member ? other.to : (other?.from ?? 0)
    const meeting = openMeeting({}, shared)
    const here = meeting.connect('192.0.2.1')
    const there = meeting.connect('192.0.2.2')
    let passed = 0
    const sendFromMember = async (bytes: Uint8Array, packet: Packet, isFirst: boolean) => {
      const before = there.raw.length
      here.send(bytes)
      await meeting.clock.advance(0)
      // Once the room is open, the other one enters it.
      if (isFirst) there.send(hello(identity, otherId))
      if (packet.to !== otherId) return
      assert.is(hexOf(there.raw[before] ?? new Uint8Array(0)), hexOf(bytes))
      passed += 1
    }
    const sendFromOther = (bytes: Uint8Array, packet: Packet) => {
      if (packet.from !== otherId || packet.to !== member || packet.type === packetTypes.pong) return
      const before = here.raw.length
      there.send(bytes)
      assert.is(hexOf(here.raw[before] ?? new Uint8Array(0)), hexOf(bytes))
      passed += 1
    }
    for (const [at, { isFromMember, bytes, packet }] of recorded.entries()) {
      if (isFromMember) await sendFromMember(bytes, packet, at === 0)
      else sendFromOther(bytes, packet)
    }
    assert.ok(passed > 8, `${passed} packets passed`)
    assert.is(here.isClosed, false)

    sameHandshake(here.packets[0], firstOf(packetTypes.handshake))
    sameAnswers(here.packets, answersOf(recorded.filter((one) => !one.isFromMember).map((one) => one.packet)))
    sameSync(here.packets)
  })

  function firstOf(type: number): Packet | undefined {
    return recorded.find(({ isFromMember, packet }) => !isFromMember && packet.type === type)?.packet
  }

  function sameHandshake(mine: Packet | undefined, real: Packet | undefined): void {
    assert.ok(mine && real)
    assert.equal([mine.from, mine.to, mine.forwards], [real.from, real.to, real.forwards])
    const [ours, theirs] = [mine, real].map(({ payload }) => handshakeRequest.decode(payload))
    assert.ok(ours && theirs)
    for (const field of ['magic', 'myPeerId', 'version', 'features', 'networkSecretDigest'] as const) {
      assert.equal(ours[field], theirs[field], field)
    }
    assert.is.not(ours.networkName, network.network_name)
    assert.is.not(theirs.networkName, network.network_name)
  }

  /** Every call of the member to the shared node was answered as the real one answered it. */
  function sameAnswers(packets: readonly Packet[], real: ReturnType<typeof answersOf>): void {
    const mine = answersOf(packets)
    assert.ok(real.size > 0)
    for (const [transactionId, theirs] of real) {
      const ours = mine.get(transactionId)
      assert.ok(ours, transactionId)
      assert.equal(ours.method, theirs.method)
      assert.is(ours.answer?.kind, theirs.answer?.kind)
      if (theirs.answer?.kind !== 'response' || ours.answer?.kind !== 'response') continue
      if (theirs.method.service !== rpcMethods.syncRouteInfo.service) continue
      const { response } = rpcMethods.syncRouteInfo
      assert.is(response.decode(theirs.answer.response)?.error, undefined)
      assert.is(response.decode(ours.answer.response)?.error, undefined)
    }
  }

  function sameSync(packets: readonly Packet[]): void {
    const real = callsOf(recorded.filter((one) => !one.isFromMember).map((one) => one.packet))
    const [ours, theirs] = [callsOf(packets), real].map((calls) => {
      const records = calls.flatMap(({ request }) => decodeRouteSync(request)?.records ?? [])
      return records.find(({ peerId }) => peerId === shared)
    })
    assert.ok(ours && theirs)
    assert.match(theirs.hostname, /^PublicServer_/)
    assert.match(ours.hostname, /^PublicServer_/)
    for (const field of ['peerId', 'address', 'networkLength', 'udpNatType'] as const)
      assert.is(ours[field], theirs[field], field)
    for (const field of ['isSharedNode', 'avoidsRelay', 'needsDirect', 'refusesDirect'] as const)
      assert.is(ours.features[field], theirs.features[field], field)
  }

  function answersOf(packets: readonly Packet[]) {
    const answers = packets.filter(({ from, to, flags }) => from === shared && to === member && flags === 0)
    return new Map(
      messagesOf(answers, packetTypes.rpcResponse).map((message) => [
        message.transactionId,
        { method: message.method, answer: readAnswer(message) },
      ]),
    )
  }
}

function packetsIn(frames: string): Omit<Recorded, 'isFromMember'>[] {
  const found: Omit<Recorded, 'isFromMember'>[] = []
  createPacketReader().push(unhex(frames), (bytes) => {
    const packet = decodePacket(bytes)
    if (packet) found.push({ bytes, packet })
  })
  return found
}

test.run()
