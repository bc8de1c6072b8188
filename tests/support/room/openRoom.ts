import { createGameProbe, listMods } from '@lantern-room/adapters/game'
import { createLanAnnouncer, createLanListener } from '@lantern-room/adapters/lan'
import { createLocalNet } from '@lantern-room/adapters/localNet'
import { createSystemClock, targetTriple } from '@lantern-room/adapters/system'
import { version } from '@lantern-room/base'
import { legacyPing, modernPing } from '@lantern-room/game'
import { createRoomApi, type RoomApi, type RoomView, readRoomConfig } from '@lantern-room/room'
import type { RoomNetwork } from '@lantern-room/room/network'
import { page } from '../../../local-runner/ui/room.page.html'
import { silentLog } from '../values/testLog'
import { bareMachine } from './bareMachine'
import { createMemoryText } from './memoryText'
import { soundMachine } from './soundMachine'

export type OpenRoom = RoomApi & {
  readonly machineId: string
  /** GET or POST on the app, as a launcher on this machine sends it. */
  readonly ask: (path: string, body?: unknown) => Promise<Response>
  readonly until: (state: RoomView['state'], ms?: number) => Promise<void>
  readonly close: () => Promise<void>
}

let instances = 0

/** A room service in this process, on real sockets of loopback and the network that is given. */
export function openRoom(
  roomNetwork: RoomNetwork,
  env: Record<string, string> = {},
  clock = createSystemClock(),
): OpenRoom {
  const stopping = new AbortController()
  const log = silentLog()
  const config = readRoomConfig({
    ROOM_LAN_INTERFACES: '127.0.0.1',
    ROOM_NODES: '',
    SCAFFOLDING_PORT: '23448',
    ...env,
  })
  instances += 1
  const machineId = instances.toString(16).padStart(32, '0')
  const lan = { interfaces: config.lanInterfaces, clock, log }
  const api = createRoomApi(
    config,
    {
      ...bareMachine(),
      roomNetwork,
      clock,
      log,
      shutDown: () => {},
      stopping: stopping.signal,
      identity: { machineId, secret: new Uint8Array(32).fill(instances) },
      lanListeners: [createLanListener(lan)],
      lanAnnouncer: createLanAnnouncer(lan),
      localNet: createLocalNet({ clock, lanInterfaces: config.lanInterfaces }),
      listMods,
      savedRooms: createMemoryText(),
      probeGame: createGameProbe({ pings: [modernPing, legacyPing], clock }),
      logOnDisk: undefined,
      home: '/home/me',
      checks: soundMachine(clock),
      probeNode: async () => ({ problem: 'there is none' }),
      platform: targetTriple(),
      page,
    },
    { version, builtAt: '2026-01-01T00:00:00.000Z' },
  )
  return {
    ...api,
    machineId,
    ask: (path, body) =>
      api.app(
        new Request(`http://127.0.0.1:5062${path}`, {
          headers: {
            Host: '127.0.0.1:5062',
            ...(body !== undefined && { 'Content-Type': 'application/json' }),
          },
          ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
        }),
      ),
    until: (state, ms = 60_000) => untilState(api, state, ms),
    async close() {
      await api.service.stop()
      stopping.abort()
      await api.closed
    },
  }
}

/** Waits by the feed, as a launcher does. */
function untilState({ roomState, feed }: RoomApi, state: RoomView['state'], ms: number): Promise<void> {
  if (roomState.view().state === state) return Promise.resolve()
  return new Promise((resolve, reject) => {
    const takeOff = feed.subscribe(() => {
      if (roomState.view().state !== state) return
      clearTimeout(timer)
      takeOff()
      resolve()
    })
    const timer = setTimeout(() => {
      takeOff()
      const { state: now, stage, failure } = roomState.view()
      reject(new Error(`not ${state} after ${ms} ms but ${now} (${stage}) ${failure?.detail ?? ''}`))
    }, ms)
  })
}
