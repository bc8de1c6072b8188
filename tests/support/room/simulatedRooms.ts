import type { Clock } from '@lantern-room/base/async'
import {
  createRoomApi,
  type FailureCode,
  type RoomApi,
  type RoomApiDependencies,
  type RoomView,
  readRoomConfig,
} from '@lantern-room/room'
import type { Stage } from '@lantern-room/room/client'
import type { GuestConnection, RoomNetwork } from '@lantern-room/room/network'
import type { ProbeNode, TextStore } from '@lantern-room/room/ports'
import * as assert from 'uvu/assert'
import { createFakeClock, type FakeClock } from '../network/fakeClock'
import { createMemoryNetwork, type MemoryNetwork } from '../network/memoryNetwork'
import type { Test } from '../runner/suite'
import { silentLog } from '../values/testLog'
import { bareMachine } from './bareMachine'
import { createSimulatedMachine, type SimulatedMachine } from './simulatedMachine'
import { soundMachine } from './soundMachine'
import { roomOf } from './testRoomNetwork'

export type SimulatedRoom = RoomApi & {
  readonly machine: SimulatedMachine
  readonly machineId: string
  /** Every stage so far, each once. */
  readonly stages: readonly Stage[]
  host(order?: Record<string, unknown>): Promise<string>
  join(room: string): Promise<void>
  /** What players see first. */
  shown(): Pick<RoomView, 'stage' | 'url' | 'notice' | 'gamePort'> & { code: FailureCode | undefined }
  /** A request as a launcher sends it. */
  ask(path: string, body?: unknown): Promise<Response>
  close(): Promise<void>
}

type RoomOptions = {
  /** Of the program; that of all by default. */
  readonly clock?: Clock
  readonly env?: Record<string, string>
  readonly roomNetwork?: RoomNetwork
  readonly listMods?: RoomApiDependencies['listMods']
  readonly lanListeners?: RoomApiDependencies['lanListeners']
  readonly probeNode?: ProbeNode
  readonly knownHosts?: TextStore
  readonly keptRoom?: TextStore
  readonly identity?: RoomApiDependencies['identity']
  /** Of the machine, from which its keys are derived; another one for each room by default. */
  readonly number?: number
}

export type SimulatedRooms = {
  readonly clock: FakeClock
  readonly network: MemoryNetwork
  open(options?: RoomOptions): SimulatedRoom
  /** A member of the room that is hosted, until the signal. */
  member(host: SimulatedRoom, signal: AbortSignal): Promise<GuestConnection>
  /** Closes every room, and tells what was left behind: nothing, when all is well. */
  close(): Promise<readonly string[]>
}

export function createSimulatedRooms(clock = createFakeClock()): SimulatedRooms {
  const network = createMemoryNetwork()
  const rooms: SimulatedRoom[] = []
  return {
    clock,
    network,
    open(options) {
      const { roomNetwork } = network
      const room = openSimulatedRoom(clock, options?.number ?? rooms.length + 1, { roomNetwork, ...options })
      rooms.push(room)
      return room
    },
    member(host, signal) {
      const room = roomOf(host.roomState.view().room ?? '')
      return network.roomNetwork.join({ room, onStep: () => {}, signal })
    },
    async close() {
      await Promise.all(rooms.map((room) => room.close()))
      await clock.advance(0)
      return [
        ...network.leaks(),
        ...(clock.timers > 0 ? [`${clock.timers} timers`] : []),
        ...rooms.flatMap(({ machine }) => [
          ...machine.listening.map((port) => `port ${port}`),
          ...machine.announced.map(({ motd }) => `announcement ${motd}`),
          ...(machine.connections > 0 ? [`${machine.connections} connections`] : []),
        ]),
      ]
    },
  }
}

/** New rooms for each test of a suite. After it they are closed, and have left nothing behind. */
export function simulatedRoomsOf<T>(test: Test<T>): SimulatedRooms {
  let rooms = createSimulatedRooms()
  test.before.each(() => {
    rooms = createSimulatedRooms()
  })
  test.after.each(async () => assert.equal(await rooms.close(), []))
  return {
    get clock() {
      return rooms.clock
    },
    get network() {
      return rooms.network
    },
    open: (options) => rooms.open(options),
    member: (host, signal) => rooms.member(host, signal),
    close: () => rooms.close(),
  }
}

function openSimulatedRoom(
  clock: FakeClock,
  number: number,
  { env, number: _, ...given }: RoomOptions & { readonly roomNetwork: RoomNetwork },
): SimulatedRoom {
  const stopping = new AbortController()
  const machine = createSimulatedMachine(clock)
  const silent = silentLog()
  const machineId = number.toString(16).padStart(32, '0')
  const api = createRoomApi(
    readRoomConfig({ ROOM_NODES: '', ...env }),
    {
      ...bareMachine(),
      clock,
      log: silent,
      shutDown: () => {},
      stopping: stopping.signal,
      localNet: machine.localNet,
      listMods: async () => [],
      probeGame: machine.probe,
      identity: { machineId, secret: new Uint8Array(32).fill(number) },
      lanListeners: [{ listen: machine.listenToLan }],
      lanAnnouncer: { announce: machine.announce },
      logOnDisk: undefined,
      home: '/home/me',
      checks: soundMachine(clock),
      probeNode: async () => ({ problem: 'there is none' }),
      platform: { targetTuple: 'a-b-c-d', targetArch: 'a', targetVendor: 'b', targetOS: 'c', targetEnv: 'd' },
      page: { html: '', styleHash: '', scriptHash: '' },
      ...given,
    },
    { version: '1.2.3', builtAt: '2026-01-01T00:00:00.000Z' },
  )
  const stages: Stage[] = []
  api.feed.subscribe(() => {
    const { stage } = api.roomState.view()
    if (stages.at(-1) !== stage) stages.push(stage)
  })
  const ask = (path: string, body?: unknown) => {
    const text = JSON.stringify(body ?? {})
    const headers = {
      Host: '127.0.0.1',
      'Content-Type': 'application/json',
      'Content-Length': `${text.length}`,
    }
    const isPost = body !== undefined
    const init = isPost ? { method: 'POST', body: text, headers } : { headers: { Host: '127.0.0.1' } }
    return api.app(new Request(`http://127.0.0.1${path}`, init))
  }
  return {
    ...api,
    machine,
    machineId,
    stages,
    ask,
    shown() {
      const { stage, url, notice, failure, gamePort } = api.roomState.view()
      return { stage, url, notice, gamePort, code: failure?.code }
    },
    async host(order = {}) {
      const answer = await ask('/room/host/start', order)
      if (answer.status !== 200) throw new Error(await answer.text())
      await clock.advance(0)
      return api.roomState.view().room ?? ''
    },
    async join(room) {
      const answer = await ask('/room/guest/start', { roomCode: room, playerName: `Guest ${number}` })
      if (answer.status !== 200) throw new Error(await answer.text())
      await clock.advance(0)
    },
    async close() {
      await api.service.stop()
      stopping.abort()
      await api.closed
    },
  }
}
