import type { Log } from '@lantern-room/base'
import type { Path } from '@lantern-room/room/network'
import * as assert from 'uvu/assert'
import { Network, type NetworkOptions } from '#internal/easytier/network'
import type { Endpoint } from '#internal/easytier/wire/socketAddress'
import { decodeDatagram } from '#internal/easytier/wire/udpFrame'
import type { FakeClock } from '#support/network/fakeClock'
import { playerSettings } from '#support/network/playerSettings'
import { watchDatagrams } from '#support/network/watchDatagrams'
import { hasResolved } from '#support/values/hasResolved'
import { createTestNet } from '#support/virtualNet/testNet'
import type { HouseOptions, VirtualHouse, VirtualMachine, VirtualNet } from '#support/virtualNet/virtualNet'

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
  // The player whose router assigns a port, for tests that depend on it.
  let turn = 0
  const testNet = createTestNet({ seed, loss, ...(random && { chance: () => random(turn) }) })
  const { net, clock } = testNet
  const settings = await testNet.sharedNode('9.9.9.9')
  const players: Player[] = []

  const ground: Ground = {
    net,
    clock,
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
      const peer = await Network.open(
        {
          ...playerSettings(at + 1),
          ...settings,
          transports: watchDatagrams(machine.transports, note),
          clock,
          log: logTo(messages),
          randomBytes: testNet.random.fork(`player ${at}`).bytes,
          ...changes,
        },
        stop.signal,
      )
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
      await testNet.close()
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
