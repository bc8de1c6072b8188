import * as assert from 'uvu/assert'
import { rpcMethods, rpcPacket } from '#core/easytier/wire/messages'
import { encodePacket, packetFlags, packetTypes } from '#core/easytier/wire/packet'
import { encodePeerRecord } from '#core/easytier/wire/peerRecord'
import { encodeRouteSync } from '#core/easytier/wire/routeSync'
import { createSimulation } from '#support/network/link'
import { suite } from '#support/runner/suite'
import { recordOf } from '../../unit/easytier/relay/records'
import { type Evil, type Ground, heldMebibytes, NETWORK, openGround } from './ground'
import { zstdFrame } from './zstdBytes'

const test = suite('easytier: a member that lies', { timeoutMs: 300_000 })

test('our own record with the highest version there is: ours stays one that can be written', async () => {
  const ground = await openGround()
  const evil = await ground.enter()
  for (const version of [0xffff_ffff, 0x8000_0000, 0x7fff_ffff, 0xffff_fffe]) {
    tell(evil, [encodePeerRecord({ ...recordOf(ground.host.ownId, 'me'), version })])
    await ground.clock.advance(600)
    ground.host.setAddress(`10.144.144.${1 + (version & 1)}`)
    await ground.clock.advance(600)
  }
  ground.host.setAddress('10.144.144.1')
  await ground.clock.advance(600)
  const seen = ground.guest.peer(ground.host.ownId)?.record
  assert.is(seen?.hostname, 'scaffolding-mc-server-13448')
  assert.is(seen?.address, '10.144.144.1')
  await ground.goesOn()
  await ground.close()
})

test('a call of a service whose name is 60,000 long, in a small packet: no answer that is longer than any packet', async () => {
  const ground = await openGround()
  const evil = await ground.enter()
  const sizes: number[] = []
  evil.onPacket((packet) => sizes.push(packet.length))
  for (const field of ['serviceName', 'domainName'] as const) {
    for (const count of [200, 1200, 30_000, 60_000]) sendLongName(ground, evil, field, count)
    await ground.clock.advance(100)
  }
  assert.ok(Math.max(...sizes) <= 1300, `${Math.max(...sizes)} bytes`)
  await ground.goesOn()
  await ground.close()
})

test('packets of a few bytes that become 65,535: little work, and nothing of it stays', async () => {
  const ground = await openGround()
  const evil = await ground.enter()
  const before = heldMebibytes()
  const startedAt = process.cpuUsage()
  for (let count = 0; count < 2000; count += 1) {
    const claimed = [65_535, 65_536, 131_072, 1 << 20][count % 4] ?? 0
    sendCompressed(
      ground,
      evil,
      [packetTypes.data, packetTypes.rpcRequest, packetTypes.kcpSource][count % 3] ?? 0,
      {
        frame: zstdFrame([{ byte: count & 255, count: claimed }]),
        plainLength: count % 5 === 0 ? 0xffff_ffff : claimed,
      },
    )
    // The same inside a call.
    const { service, method } = rpcMethods.syncRouteInfo
    evil.say(
      packetTypes.rpcRequest,
      rpcPacket.encode({
        fromPeer: evil.id,
        toPeer: ground.host.ownId,
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
    if (count % 500 === 0) await ground.goesOn()
  }
  const { user, system } = process.cpuUsage(startedAt)
  assert.ok((user + system) / 1e6 < 20, `${(user + system) / 1e6} s`)
  const held = heldMebibytes() - before
  assert.ok(held < 20, `${held} MiB`)
  await ground.close()
})

test('50,000 pieces of calls that are never whole, of many callers: what waits stays bounded', async () => {
  const ground = await openGround()
  const evil = await ground.enter()
  const random = createSimulation(3).random
  const before = heldMebibytes()
  const body = new Uint8Array(1000)
  for (let count = 0; count < 50_000; count += 1) {
    const from = count % 2 === 0 ? evil.id : 1000 + Math.floor(random() * 1e6)
    const piece = rpcPacket.encode({
      fromPeer: from,
      toPeer: ground.host.ownId,
      transactionId: `${Math.floor(count / 50)}`,
      isRequest: true,
      totalPieces: 64,
      pieceIdx: 1 + (count % 63),
      body,
    })
    const packet = { from, to: ground.host.ownId, type: packetTypes.rpcRequest }
    if (count < 20_000) evil.far.hand(evil.seal.seal(packet, piece))
    else evil.say(packetTypes.rpcRequest, piece)
    if (count % 10_000 === 0) await ground.goesOn()
  }
  const held = heldMebibytes() - before
  assert.ok(held < 32, `${held} MiB`)
  await ground.goesOn()
  await ground.close()
})

test('packets of 200,000 made-up senders: none of them is remembered', async () => {
  const ground = await openGround()
  const evil = await ground.enter()
  const before = heldMebibytes()
  const payload = new Uint8Array(40)
  for (let count = 0; count < 200_000; count += 1) {
    const type = [packetTypes.data, packetTypes.kcpSource, packetTypes.kcpDestination][count % 3] ?? 0
    evil.far.hand(evil.seal.seal({ from: 10_000 + count, to: ground.host.ownId, type }, payload))
    if (count % 50_000 === 0) await ground.goesOn()
  }
  const held = heldMebibytes() - before
  assert.ok(held < 5, `${held} MiB`)
  await ground.close()
})

test('a table told anew 1,000 times, each time with another session and other records: it stays within its bounds', async () => {
  const ground = await openGround()
  const evil = await ground.enter()
  const before = heldMebibytes()
  for (let count = 0; count < 1000; count += 1) {
    const records = Array.from({ length: 3 }, (_, at) =>
      encodePeerRecord(recordOf(1000 + 3 * count + at, 'x'.repeat(5000))),
    )
    const connected = Array.from({ length: 250 }, (_, at) => 1000 + 3 * count + at)
    tell(evil, records, [{ peerId: evil.id, version: count + 1, connected }], `${count}`)
    if (count % 10 === 0) await ground.clock.advance(5)
    if (count % 100 === 0) await ground.goesOn()
  }
  assert.ok(ground.host.peers().length <= 257, `${ground.host.peers().length} peers`)
  const held = heldMebibytes() - before
  assert.ok(held < 20, `${held} MiB`)
  assert.ok(evil.received.bytes < 20 * 2 ** 20, `${evil.received.bytes} bytes for the liar`)
  await ground.close()
})

test.run()

function tell(
  evil: Evil,
  records: readonly Uint8Array[],
  rows: Parameters<typeof encodeRouteSync>[0]['rows'] = [],
  sessionId = '7',
): void {
  const sync = { from: evil.id, sessionId, isInitiator: true, rowsAs: 'list', records, rows } as const
  evil.call('syncRouteInfo', encodeRouteSync(sync), sessionId)
}

function sendLongName(ground: Ground, evil: Evil, field: 'serviceName' | 'domainName', count: number): void {
  const name = 'a'.repeat(count)
  const names = { domainName: NETWORK.name, protoName: 'x', serviceName: 'x', [field]: name }
  const plain = rpcPacket.encode({
    fromPeer: evil.id,
    toPeer: ground.host.ownId,
    transactionId: '9',
    isRequest: true,
    totalPieces: 1,
    body: new Uint8Array(0),
    descriptor: { ...names, methodIndex: 1 },
  })
  const at = new TextDecoder('latin1').decode(plain).indexOf(name)
  const frame = zstdFrame([plain.slice(0, at), { byte: 97, count }, plain.slice(at + count)])
  sendCompressed(ground, evil, packetTypes.rpcRequest, { frame, plainLength: plain.length })
}

function sendCompressed(
  ground: Ground,
  evil: Evil,
  type: number,
  { frame, plainLength }: { readonly frame: Uint8Array; readonly plainLength: number },
): void {
  const target = { from: evil.id, to: ground.host.ownId, type, flags: packetFlags.compressed }
  const packet = evil.seal.seal(target, Uint8Array.from([...frame, 1])).slice()
  new DataView(packet.buffer).setUint32(12, plainLength, true)
  evil.far.hand(packet)
  evil.far.hand(encodePacket(target, frame))
}
