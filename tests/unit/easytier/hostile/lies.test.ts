import { packetTypes, rpcMethods } from '@lantern-room/easytier/wire'
import { encodeIpv4 } from '#internal/easytier/ip/ipv4'
import { parseIpv4 } from '#internal/easytier/wire/addresses'
import { rpcPacket } from '#internal/easytier/wire/messages'
import { encodePacket, packetFlags } from '#internal/easytier/wire/packet'
import { encodePeerRecord } from '#internal/easytier/wire/peerRecord'
import { zstdReady } from '#support/network/zstdReady'
import { assert, suite } from '#support/runner/suite'
import { createPrng } from '#support/values/prng'
import { recordOf } from '../relay/records'
import {
  type AttackedRoom,
  type Attacker,
  GAME_PORT,
  HOST_ADDRESS,
  NETWORK,
  setUpAttack,
  tell,
} from './attackedRoom'

const test = suite('easytier: a member that sends false data', {
  timeoutMs: 300_000,
  setUp: setUpAttack,
  tearDown: ({ room }) => room.close(),
})

const GUEST_ADDRESS = parseIpv4('10.144.144.70') ?? 0

test.before(zstdReady)

test('our own record with the highest version: ours can still be renewed', async ({ room, attacker }) => {
  for (const version of [0xffff_ffff, 0x8000_0000, 0x7fff_ffff, 0xffff_fffe]) {
    tell(attacker, [encodePeerRecord({ ...recordOf(room.host.ownId, 'me'), version })])
    await room.clock.advance(600)
    room.host.setAddress(`10.144.144.${1 + (version & 1)}`)
    await room.clock.advance(600)
  }
  room.host.setAddress('10.144.144.1')
  await room.clock.advance(600)
  const seen = room.guest.peer(room.host.ownId)?.record
  assert.is(seen?.hostname, 'scaffolding-mc-server-13448')
  assert.is(seen?.address, '10.144.144.1')
  await room.checkStream()
})

test('a small packet that calls a service with a name of 60,000 characters: the answer still fits a packet', async ({
  room,
  attacker,
}) => {
  const sizes: number[] = []
  attacker.onPacket((packet) => sizes.push(packet.length))
  for (const field of ['serviceName', 'domainName'] as const) {
    for (const count of [200, 1200, 30_000, 60_000]) sendLongName(room, attacker, field, count)
    await room.clock.advance(100)
  }
  assert.ok(Math.max(...sizes) <= 1232, `${Math.max(...sizes)} bytes`)
  await room.checkStream()
})

test('packets of a few bytes that decompress to 65,535: little work, and nothing is kept', async ({
  room,
  attacker,
  holdsLess,
}) => {
  const startedAt = process.cpuUsage()
  for (let count = 0; count < 1000; count += 1) {
    const claimed = [65_535, 65_536, 131_072, 1 << 20][count % 4] ?? 0
    sendCompressed(
      room,
      attacker,
      [packetTypes.data, packetTypes.rpcRequest, packetTypes.kcpSource][count % 3] ?? 0,
      {
        frame: zstdFrame([{ byte: count & 255, count: claimed }]),
        plainLength: count % 5 === 0 ? 0xffff_ffff : claimed,
      },
    )
    // The same inside a call.
    const { service, method } = rpcMethods.syncRouteInfo
    attacker.send(
      packetTypes.rpcRequest,
      rpcPacket.encode({
        fromPeer: attacker.id,
        toPeer: room.host.ownId,
        transactionId: `${count}`,
        isRequest: true,
        totalPieces: 1,
        body: zstdFrame([{ byte: 10, count: claimed }]),
        descriptor: {
          domainName: NETWORK.name,
          protoName: service,
          serviceName: service,
          methodIndex: method,
        },
        compressionInfo: { algo: 2, acceptedAlgo: 1 },
      }),
    )
    if (count % 500 === 0) await room.checkStream()
  }
  const { user, system } = process.cpuUsage(startedAt)
  assert.ok((user + system) / 1e6 < 20, `${(user + system) / 1e6} s`)
  holdsLess(20)
})

test('50,000 pieces of incomplete calls from many callers: buffered pieces stay bounded', async ({
  room,
  attacker,
  holdsLess,
}) => {
  const random = createPrng(3).next
  const body = new Uint8Array(1000)
  for (let count = 0; count < 50_000; count += 1) {
    const from = count % 2 === 0 ? attacker.id : 1000 + Math.floor(random() * 1e6)
    const piece = rpcPacket.encode({
      fromPeer: from,
      toPeer: room.host.ownId,
      transactionId: `${Math.floor(count / 50)}`,
      isRequest: true,
      totalPieces: 64,
      pieceIdx: 1 + (count % 63),
      body,
    })
    const packet = { from, to: room.host.ownId, type: packetTypes.rpcRequest }
    if (count < 20_000) attacker.far.hand(attacker.seal.seal(packet, piece))
    else attacker.send(packetTypes.rpcRequest, piece)
    if (count % 10_000 === 0) await room.checkStream()
  }
  holdsLess(32)
  await room.checkStream()
})

test('packets of 100,000 invented senders: none is remembered', async ({ room, attacker, holdsLess }) => {
  const payload = new Uint8Array(40)
  for (let count = 0; count < 100_000; count += 1) {
    const type = [packetTypes.data, packetTypes.kcpSource, packetTypes.kcpDestination][count % 3] ?? 0
    attacker.far.hand(attacker.seal.seal({ from: 10_000 + count, to: room.host.ownId, type }, payload))
    if (count % 50_000 === 0) await room.checkStream()
  }
  holdsLess(5)
})

test('1,000 route updates, each with another session and other records: the table stays bounded', async ({
  room,
  attacker,
  holdsLess,
}) => {
  for (let count = 0; count < 1000; count += 1) {
    const records = Array.from({ length: 3 }, (_, at) =>
      encodePeerRecord(recordOf(1000 + 3 * count + at, 'x'.repeat(5000))),
    )
    const connected = Array.from({ length: 250 }, (_, at) => 1000 + 3 * count + at)
    tell(attacker, records, [{ peerId: attacker.id, version: count + 1, connected }], `${count}`)
    if (count % 10 === 0) await room.clock.advance(5)
    if (count % 100 === 0) await room.checkStream()
  }
  assert.ok(room.host.peers().length <= 257, `${room.host.peers().length} peers`)
  holdsLess(20)
  assert.ok(attacker.received.bytes < 20 * 2 ** 20, `${attacker.received.bytes} bytes for the liar`)
})

test('300 members that tell their row, no record, and leave: later ones can still tell who is behind them', async ({
  room,
}) => {
  const { clock, host } = room
  for (let peerId = 1000; peerId < 1300; peerId += 1) {
    const passing = await room.joinAttacker(peerId)
    tell(passing, [], [{ peerId, version: 1, connected: [host.ownId] }])
    await clock.advance(10)
    passing.far.end()
    await clock.advance(10)
  }
  const honest = await room.joinAttacker(700)
  const records = [700, 701].map((peerId) => encodePeerRecord(recordOf(peerId, `member ${peerId}`)))
  tell(honest, records, [{ peerId: 700, version: 1, connected: [host.ownId, 701] }])
  await clock.advance(100)
  assert.is(host.peer(701)?.record.hostname, 'member 701')
  await room.checkStream()
})

test('a member may tell of others for as long as it likes, when those of before have left', async ({
  room,
}) => {
  const { clock, host } = room
  await room.checkStream()
  const neighbour = await room.joinAttacker(700)
  for (let turn = 0; turn < 3; turn += 1) {
    const others = Array.from({ length: 20 }, (_, at) => 1000 + turn * 100 + at)
    const records = [700, ...others].map((peerId) => encodePeerRecord(recordOf(peerId, `member ${peerId}`)))
    tell(neighbour, records, [{ peerId: 700, version: 2 * turn + 1, connected: [host.ownId, ...others] }])
    await clock.advance(100)
    assert.is(others.filter((peerId) => host.peer(peerId)).length, 20, `turn ${turn}`)
    tell(neighbour, [], [{ peerId: 700, version: 2 * turn + 2, connected: [host.ownId] }])
    await clock.advance(100_000)
  }
  await room.checkStream()
})

test('fragments under the address of another member do not damage its datagrams', async ({
  room,
  attacker,
}) => {
  const { clock, host, guest } = room
  const header = { source: GUEST_ADDRESS, target: parseIpv4(HOST_ADDRESS) ?? 0, protocol: 17 }
  for (let id = 0; id < 8; id += 1) {
    const [, fragment] = encodeIpv4({ ...header, id }, new Uint8Array(24), 8)
    attacker.send(packetTypes.data, fragment ?? new Uint8Array(0))
  }
  const flow = guest.datagrams(host.ownId, { address: HOST_ADDRESS, port: GAME_PORT })
  const answers: number[] = []
  flow.onDatagram((bytes) => answers.push(bytes.length))
  for (let count = 0; count < 4; count += 1) flow.send(new Uint8Array(3000))
  await clock.advance(100)
  assert.equal(answers, [3000, 3000, 3000, 3000])
})

function sendLongName(
  room: AttackedRoom,
  attacker: Attacker,
  field: 'serviceName' | 'domainName',
  count: number,
): void {
  const name = 'a'.repeat(count)
  const names = { domainName: NETWORK.name, protoName: 'x', serviceName: 'x', [field]: name }
  const plain = rpcPacket.encode({
    fromPeer: attacker.id,
    toPeer: room.host.ownId,
    transactionId: '9',
    isRequest: true,
    totalPieces: 1,
    body: new Uint8Array(0),
    descriptor: { ...names, methodIndex: 1 },
  })
  const at = new TextDecoder('latin1').decode(plain).indexOf(name)
  const frame = zstdFrame([plain.slice(0, at), { byte: 97, count }, plain.slice(at + count)])
  sendCompressed(room, attacker, packetTypes.rpcRequest, { frame, plainLength: plain.length })
}

function sendCompressed(
  room: AttackedRoom,
  attacker: Attacker,
  type: number,
  { frame, plainLength }: { readonly frame: Uint8Array; readonly plainLength: number },
): void {
  const target = { from: attacker.id, to: room.host.ownId, type, flags: packetFlags.compressed }
  const packet = attacker.seal.seal(target, Uint8Array.from([...frame, 1])).slice()
  new DataView(packet.buffer).setUint32(12, plainLength, true)
  attacker.far.hand(packet)
  attacker.far.hand(encodePacket(target, frame))
}

/** A part of a zstd frame: bytes as they are, or one byte many times. */
type ZstdPart = Uint8Array | { readonly byte: number; readonly count: number }

/** A frame of raw and repeated blocks (RFC 8878): small bytes that become large ones. */
function zstdFrame(parts: readonly ZstdPart[]): Uint8Array {
  const size = parts.reduce((sum, part) => sum + (part instanceof Uint8Array ? part.length : part.count), 0)
  const header = new Uint8Array(9)
  const view = new DataView(header.buffer)
  view.setUint32(0, 0xfd2fb528, true)
  // Single segment, content size in four bytes.
  header[4] = 0b1010_0000
  view.setUint32(5, size, true)
  const blocks = parts.map((part, at) => {
    const isLast = at === parts.length - 1 ? 1 : 0
    const isRaw = part instanceof Uint8Array
    const length = isRaw ? part.length : part.count
    const word = isLast | ((isRaw ? 0 : 1) << 1) | (length << 3)
    return [word & 255, (word >> 8) & 255, word >> 16, ...(isRaw ? part : [part.byte])]
  })
  return Uint8Array.from([...header, ...blocks.flat()])
}

test.run()
