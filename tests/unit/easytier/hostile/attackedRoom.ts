import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Network, type NetworkIdentity, type NetworkOptions } from '@lantern-room/easytier'
import { type Endpoint, packetTypes, rpcMethods } from '@lantern-room/easytier/wire'
import * as assert from 'uvu/assert'
import { networkKey, secretDigest } from '#internal/easytier/crypto/networkIdentity'
import { createPacketCipher, type PacketCipher } from '#internal/easytier/crypto/packetCipher'
import { encodeHello } from '#internal/easytier/peer/handshake'
import { encodeCallBody } from '#internal/easytier/rpc/rpcMessage'
import { encodePieces } from '#internal/easytier/rpc/rpcPiece'
import type { RpcMethodName } from '#internal/easytier/wire/messages'
import { encodePacket, encodePong } from '#internal/easytier/wire/packet'
import { echoAll } from '#support/network/byteStreams'
import { createFakeClock, type FakeClock } from '#support/network/fakeClock'
import { playerSettings } from '#support/network/playerSettings'
import { createFarEnd, createReplayNet, type FarEnd, type ReplayNet } from '#support/network/replayTransports'
import { noise } from '#support/values/bytes'
import { createPrng } from '#support/values/prng'
import { encodeRouteSyncAs } from '../wire/encodeRouteSyncAs'

export const NETWORK: NetworkIdentity = { name: 'scaffolding-mc-AAAA-AAAA', secret: 'BBBB-BBBB' }
export const GAME_PORT = 25_565
export const HOST_ADDRESS = '10.144.144.1'
export const ATTACKER_ID = 666

/** A host and a guest with a stream between them, and whoever else comes to the host. */
export type AttackedRoom = {
  readonly clock: FakeClock
  /** Of the host. */
  readonly net: ReplayNet & {
    /** Told of the datagrams that the host sends. */
    onDatagram(listener: (bytes: Uint8Array, to: Endpoint) => void): void
  }
  readonly host: Network
  readonly guest: Network
  /** Another guest, who comes late. */
  joinFriend(): Promise<Network>
  /** Somebody at the host's TCP listener. */
  connectStranger(): Stranger
  /** Somebody who knows the room's code. */
  joinAttacker(peerId?: number): Promise<Attacker>
  /** Sends bytes over the good stream and reads them back. @throws AssertionError when they differ or do not come */
  checkStream(): Promise<void>
  close(): Promise<void>
}

export type Stranger = {
  readonly far: FarEnd
  readonly received: { packets: number; bytes: number }
  /** Told of every packet of the host but pings. */
  onPacket(listener: (packet: Uint8Array) => void): void
}

export type Attacker = Stranger & {
  readonly id: number
  readonly seal: PacketCipher
  /** Sealed with the right key. */
  send(type: number, payload: Uint8Array): void
  call(name: RpcMethodName, request: Uint8Array, transactionId?: string): void
}

/** @param isSettled whether a member is to stay at the host where there are too many */
export async function openAttackedRoom(isSettled?: NetworkOptions['isSettled']): Promise<AttackedRoom> {
  const clock = createFakeClock()
  const chance = createPrng(1)
  const stopping = new AbortController()
  let onDatagram: (bytes: Uint8Array, to: Endpoint) => void = () => {}
  const net = {
    ...createReplayNet({ onDatagram: (bytes, to) => onDatagram(bytes, to) }),
    onDatagram(listener: typeof onDatagram) {
      onDatagram = listener
    },
  }
  const open = (role: string, address: string, transports: ReplayNet['transports'], nodes: string[]) =>
    Network.open(
      {
        ...playerSettings(1),
        identity: NETWORK,
        lan: { key: 'lan', announces: role === 'host' },
        address,
        transports,
        nodes,
        clock,
        hostname: role === 'host' ? 'scaffolding-mc-server-13448' : role,
        randomBytes: chance.fork(role).bytes,
        ...(role === 'host' && isSettled && { isSettled }),
        wantsDirect: () => false,
        acceptsTcp: (port) => port === GAME_PORT,
        acceptsUdp: (port) => port === GAME_PORT,
        onStream: (stream) => void echoAll(stream),
        onFlow: (flow) => flow.onDatagram((bytes) => flow.send(bytes)),
      },
      stopping.signal,
    )
  const host = await open('host', HOST_ADDRESS, net.transports, [])
  await clock.advance(0)
  const joining: Network[] = []
  const join = async (name: string, address: string) => {
    const near: FarEnd = createFarEnd((packet) => clock.after(0.5, () => far.hand(packet)))
    const far: FarEnd = createFarEnd((packet) => clock.after(0.5, () => near.hand(packet)), '192.0.2.2')
    const guestNet = createReplayNet({ dial: () => near.link })
    const joined = await open(name, address, guestNet.transports, ['tcp://192.0.2.1:11010'])
    joining.push(joined)
    net.call(far.link)
    await clock.advance(50)
    return joined
  }
  const guest = await join('guest', '10.144.144.70')
  const dialling = guest.dial(host.ownId, { address: HOST_ADDRESS, port: GAME_PORT })
  await clock.advance(50)
  const stream = await dialling
  let turn = 0

  return {
    clock,
    net,
    host,
    guest,
    joinFriend: () => join('friend', '10.144.144.71'),
    connectStranger: knock,
    async joinAttacker(peerId = ATTACKER_ID) {
      const visitor = knock()
      const seal = createPacketCipher(networkKey(NETWORK.secret), chance.fork(`attacker ${peerId}`).bytes)
      visitor.far.hand(helloOf(peerId))
      await clock.advance(1)
      assert.is(visitor.far.isClosed, false)
      const say = (type: number, payload: Uint8Array) =>
        visitor.far.hand(seal.seal({ from: peerId, to: host.ownId, type }, payload))
      return {
        ...visitor,
        id: peerId,
        seal,
        send: say,
        call(name, request, transactionId = '1') {
          const { service, method } = rpcMethods[name]
          const pieces = encodePieces({
            from: peerId,
            to: host.ownId,
            transactionId,
            isRequest: true,
            method: { domain: NETWORK.name, service, method },
            body: encodeCallBody({ request, timeoutMs: 3000 }),
          })
          for (const piece of pieces) say(packetTypes.rpcRequest, piece)
        },
      }
    },
    async checkStream() {
      turn += 1
      const sent = noise(3000 + turn)
      await stream.write(sent)
      const got: Uint8Array[] = []
      let length = 0
      const reading = (async () => {
        while (length < sent.length) {
          const bytes = await stream.read()
          if (!bytes) return
          got.push(bytes)
          length += bytes.length
        }
      })()
      for (let waited = 0; waited < 500 && length < sent.length; waited += 5) await clock.advance(5)
      assert.is(length, sent.length, `turn ${turn}`)
      await reading
      assert.ok(Buffer.concat(got).equals(sent), `other bytes in turn ${turn}`)
    },
    async close() {
      stopping.abort(new Error('over'))
      // The last packets are still on their way.
      await clock.advance(1)
      await Promise.all([host, ...joining].map(({ closed }) => closed))
      assert.is(clock.timers, 0)
    },
  }

  function knock(): Stranger {
    const received = { packets: 0, bytes: 0 }
    let listener: (packet: Uint8Array) => void = () => {}
    const far: FarEnd = createFarEnd((packet) => {
      received.packets += 1
      received.bytes += packet.length
      if (packet[8] === packetTypes.ping) far.hand(encodePong(packet))
      else listener(packet)
    }, '192.0.2.66')
    net.call(far.link)
    return {
      far,
      received,
      onPacket(next) {
        listener = next
      },
    }
  }
}

export function helloOf(peerId: number, digest = secretDigest(NETWORK)): Uint8Array {
  const hello = encodeHello(peerId, NETWORK.name, digest)
  return encodePacket({ from: peerId, to: 0, type: packetTypes.handshake }, hello)
}

/** Tells the host of peers, and which of them are connected. */
export function tell(
  attacker: Attacker,
  records: readonly Uint8Array[],
  rows: Parameters<typeof encodeRouteSyncAs>[0]['rows'] = [],
  sessionId = '7',
): void {
  const sync = { from: attacker.id, sessionId, isInitiator: true, rowsAs: 'list', records, rows } as const
  attacker.call('syncRouteInfo', encodeRouteSyncAs(sync), sessionId)
}

/** A room with an attacker in it. `holdsLess` is as `holdsLessFromNow` returns it, from before the attack. */
export async function setUpAttack(): Promise<{
  readonly room: AttackedRoom
  readonly attacker: Attacker
  readonly holdsLess: (mebibytes: number, when?: string) => void
}> {
  const room = await openAttackedRoom()
  const attacker = await room.joinAttacker()
  const holdsLess = holdsLessFromNow()
  return { room, attacker, holdsLess }
}

/** @returns a check that the memory in use has grown by less than so many MiB since this call */
export function holdsLessFromNow(): (mebibytes: number, when?: string) => void {
  const before = heldMebibytes()
  return (mebibytes, when = '') => {
    const held = heldMebibytes() - before
    assert.ok(held < mebibytes, `${held} MiB ${when}`)
  }
}

/** Bytes that stay in use, in MiB, after what is garbage was collected. */
function heldMebibytes(): number {
  // Memory of arrays is given back by the next collection.
  collect()
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return (heapUsed + arrayBuffers) / 2 ** 20
}

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')
