import { onAbort } from '@lantern-room/base/async'
import { toHex } from '@lantern-room/base/bytes'
import { createRoomApi, type RoomApi, type RoomView, readRoomConfig } from '@lantern-room/room'
import type { RoomNetwork } from '@lantern-room/room/network'
import { bareMachine } from '#support/room/bareMachine'
import { createMemoryText } from '#support/room/memoryText'
import { playerIdIn } from '#support/room/playerIdIn'
import { createSimulatedMachine, type SimulatedMachine } from '#support/room/simulatedMachine'
import { soundMachine } from '#support/room/soundMachine'
import { createPlayer, type Player, type Run } from './player'
import type { PlayerPlan } from './scenario'
import { GAME_PORT, type Home, type SimulationContext } from './simulationContext'

/** The whole program of a player, which a restart brings back into its room. */
export type Program = Player & {
  readonly machineId: string
  /** The one that runs now. */
  current(): Running | undefined
}

export type Running = RoomApi & { readonly machine: SimulatedMachine }

export type ProgramRole = {
  readonly role: 'host' | 'guest'
  /** Around the network layer, to look into it. */
  readonly watch?: (network: RoomNetwork) => RoomNetwork
  /** A program runs. @param run ends with it */
  readonly onStart: (running: Running, run: Run) => void
  readonly onView: (view: RoomView, running: Running) => void
  readonly check: () => void
  readonly complaint: () => string | undefined
}

const AGAIN_MS = 500

export function createProgram(
  place: SimulationContext,
  home: Home,
  plan: PlayerPlan,
  role: ProgramRole,
): Program {
  const { trace, room } = place
  const { name } = plan
  const secret = place.chance.fork(`${name} identity`).bytes(32)
  const lastingId = toHex(secret.slice(0, 16))
  const keptRoom = createMemoryText()
  const knownHosts = createMemoryText()
  let current: Running | undefined

  const player = createPlayer(place, name, home, {
    async open(run) {
      if ((await keptRoom.read()) === undefined) await keptRoom.write(firstOrder())
      const running = start(run)
      current = running
      const leave = async () => {
        current = undefined
        // Who ends a room loses what was decided in it: a host is only ever killed, or ended by a signal.
        const isLeaving = role.role === 'guest' && String(run.signal.reason).includes('stopped')
        await (isLeaving ? running.service.stop() : running.service.close())
      }
      await running.resume()
      role.onStart(running, run)
      const closed = new Promise<void>((resolve) => onAbort(run.signal, () => void leave().then(resolve)))
      return { closed: closed.then(() => running.closed) }
    },
    check: role.check,
    complaint: role.complaint,
  })
  return Object.assign(player, { machineId: playerIdIn(room.text, lastingId), current: () => current })

  function firstOrder(): string {
    const order =
      role.role === 'host'
        ? { room: room.text, playerName: name, gamePort: GAME_PORT, resume: true }
        : { roomCode: room.text, playerName: name, resume: true }
    return JSON.stringify({ role: role.role, order, at: home.clock.unixTime() })
  }

  function start(run: Run): Running {
    const { clock } = home
    const machine = createSimulatedMachine(clock)
    if (role.role === 'host') machine.openWorld(GAME_PORT)
    const network = home.roomNetwork(run.number)
    const api = createRoomApi(
      readRoomConfig({ ROOM_NODES: home.nodes.join(',') }),
      {
        ...bareMachine(),
        roomNetwork: role.watch?.(network) ?? network,
        clock,
        log: trace.log(`${name}/${run.number} program`),
        shutDown() {},
        stopping: run.signal,
        localNet: machine.localNet,
        listMods: async () => [],
        probeGame: machine.probe,
        identity: { machineId: lastingId, secret },
        lanListeners: [{ listen: machine.listenToLan }],
        lanAnnouncer: { announce: machine.announce },
        logOnDisk: undefined,
        home: undefined,
        checks: soundMachine(clock),
        probeNode: async () => ({ latencyMs: 10, isSharedNode: true }),
        keptRoom,
        knownHosts,
        platform: { targetTuple: '', targetArch: '', targetVendor: '', targetOS: '', targetEnv: '' },
        page: { html: '', styleHash: '', scriptHash: '' },
      },
      { version: '0', builtAt: '' },
    )
    const running = { ...api, machine }
    watchStages(running, run)
    return running
  }

  /** A player tries again what has failed. */
  function watchStages(running: Running, run: Run): void {
    let last = ''
    const unsubscribe = running.feed.subscribe(() => {
      const view = running.roomState.view()
      role.onView(view, running)
      const now = `${view.stage} ${view.failure?.code ?? ''}`
      if (now === last) return
      last = now
      trace.note(`${name}: ${now}`)
      if (view.stage === 'Error' && view.failure?.code !== 'removed')
        cancel = home.clock.after(AGAIN_MS, () => running.service.retry())
    })
    let cancel = () => {}
    onAbort(run.signal, () => {
      unsubscribe()
      cancel()
    })
  }
}
