import * as assert from 'uvu/assert'
import { type Network, type NetworkOptions, openNetwork } from '#core/easytier/network'
import { createRelay } from '#core/easytier/relay/relay'
import type { Transports } from '#core/easytier/transport/transports'
import type { Endpoint } from '#core/easytier/wire/socketAddress'
import { decodeDatagram } from '#core/easytier/wire/udpFrame'
import type { Log } from '#core/log'
import type { Path } from '#core/room/networkStatus'
import { createFakeClock, type FakeClock } from '#support/network/fakeClock'
import { hasResolved } from '#support/values/hasResolved'
import { createPrng } from '#support/values/prng'
import {
  createVirtualNet,
  type HouseOptions,
  type VirtualHouse,
  type VirtualMachine,
  type VirtualNet,
} from '#support/virtualNet/virtualNet'
import { playerSettings } from '../playerSettings'

export type Sent = Endpoint & { readonly at: number; readonly isPunch: boolean }

export type Player = {
  readonly machine: VirtualMachine
  readonly house: VirtualHouse
  readonly peer: Network
  /** Of what it has logged. */
  readonly messages: string[]
  /** Its datagrams. */
  readonly sent: readonly Sent[]
  close(): Promise<void>
}

export type PlayerHouse = Omit<HouseOptions, 'publicAddress'> & {
  /** Somebody else in the house has the ports that the player opens: its router gives other ones. */
  readonly isCrowded?: boolean
}

export type Ground = {
  readonly net: VirtualNet
  readonly clock: FakeClock
  readonly relay: VirtualMachine
  readonly stun: readonly VirtualMachine[]
  /** That the shared node has sent on so far. */
  relayedBytes(): number
  open(house: PlayerHouse, changes?: Partial<NetworkOptions>): Promise<Player>
  /** How long until the first has a direct way to the other; undefined when it takes longer than this. */
  untilDirect(one: Player, other: Player, limitMs: number): Promise<number | undefined>
  pathOf(one: Player, other: Player): Pick<Path, 'kind' | 'transport'> | undefined
  /** Closes all, and sees that nothing is left. */
  close(): Promise<void>
}

/** Players behind routers with a shared node and two STUN servers, in simulated time: 40 ms from player to player and back. */
export async function openGround(
  seed: number,
  { loss = 0, random }: { readonly loss?: number; readonly random?: (house: number) => number } = {},
): Promise<Ground> {
  const clock = createFakeClock()
  const chance = createPrng(seed)
  // The player whose router assigns a port, for tests that depend on it.
  let turn = 0
  const nextOf = (next: () => number) => (random ? () => random(turn) : next)
  const net = createVirtualNet({ clock, random: nextOf(chance.fork('net').next), loss })
  const stopping = new AbortController()
  const relay = net.machine('9.9.9.9')
  const stun = ['8.8.8.8', '8.8.4.4'].map((address) => net.machine(address))
  for (const server of stun) server.serveStun()
  const shared = createRelay({
    hostname: 'test',
    version: '0',
    clock,
    log: logTo([]),
    randomBytes: chance.fork('relay').bytes,
    limits: { networks: 10, membersPerNetwork: 64, connectionsPerAddress: 64, bytesPerSecond: 1e9 },
  })
  await relay.transports.listenTcp(11_010, shared.take, stopping.signal)
  const players: Player[] = []

  const ground: Ground = {
    net,
    clock,
    relay,
    stun,
    relayedBytes: () => shared.counters().relayedBytes,
    async open({ isCrowded = false, ...options }, changes = {}) {
      const at = players.length
      const house = net.house({ publicAddress: `20.0.${at}.21`, ...options })
      house.line.delayMs = 10
      if (isCrowded) await crowd(house.machine())
      const machine = house.machine()
      const messages: string[] = []
      const sent: Sent[] = []
      const note = (to: Endpoint, bytes: Uint8Array) => {
        turn = at
        sent.push({ ...to, at: clock.now(), isPunch: decodeDatagram(bytes)?.type === 'holePunch' })
      }
      const stop = new AbortController()
      const peer = await openNetwork({
        ...playerSettings(at + 1),
        nodes: ['tcp://9.9.9.9:11010'],
        stunServers: ['8.8.8.8:3478', '8.8.4.4:3478'],
        transports: watched(machine.transports, note),
        clock,
        log: logTo(messages),
        randomBytes: chance.fork(`player ${at}`).bytes,
        signal: stop.signal,
        ...changes,
      })
      const player: Player = {
        machine,
        house,
        peer,
        messages,
        sent,
        async close() {
          stop.abort(new Error('stopped'))
          const isClosed = hasResolved(peer.closed)
          await clock.advance(0)
          assert.ok(isClosed(), 'it has stopped at once')
        },
      }
      players.push(player)
      return player
    },
    async untilDirect(one, other, limitMs) {
      const startedAt = clock.now()
      while (clock.now() - startedAt < limitMs) {
        if (ground.pathOf(one, other)?.kind === 'direct') return clock.now() - startedAt
        await clock.advance(5)
      }
      return undefined
    },
    pathOf(one, other) {
      const found = one.peer.peer(other.peer.ownId)
      const used = found?.connection ?? found?.via
      return used && { kind: found?.connection ? 'direct' : 'relay', transport: used.origin.transport }
    },
    async close() {
      for (const player of players) await player.close()
      shared.close()
      stopping.abort()
      await clock.advance(1000)
      assert.equal([net.leaks(), clock.timers], [[], 0])
    },
  }
  return ground
}

/** Two players, the second of whom comes so much later. */
export async function openPair(
  ground: Ground,
  [one, other]: readonly [PlayerHouse, PlayerHouse],
  laterMs?: number,
): Promise<[Player, Player]> {
  const first = await ground.open(one)
  if (laterMs !== undefined) await ground.clock.advance(laterMs)
  return [first, await ground.open(other)]
}

/** Reports each datagram before it is sent. */
function watched(transports: Transports, onSend: (to: Endpoint, bytes: Uint8Array) => void): Transports {
  return {
    ...transports,
    async openUdp(port) {
      const socket = await transports.openUdp(port)
      return {
        ...socket,
        send(datagram, to) {
          onSend(to, datagram)
          socket.send(datagram, to)
        },
      }
    },
  }
}

async function crowd({ transports }: VirtualMachine): Promise<void> {
  for (let count = 0; count < 300; count += 1) {
    const socket = await transports.openUdp(0)
    socket.send(new Uint8Array(1), { address: '8.8.8.8', port: 9 })
    socket.close()
  }
}

function logTo(messages: string[]): Log {
  const write = (message: string, fields?: object) =>
    void messages.push(fields ? `${message} ${JSON.stringify(fields)}` : message)
  return { debug: write, info: write, warn: write, error: write }
}
