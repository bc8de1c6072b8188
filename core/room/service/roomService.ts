import { ServiceError } from '#core/errors'
import type { Log } from '#core/log'
import type { ExtraPort } from '../extraPorts'
import { exceptionTypeOf, toRoomFailure } from '../failure'
import type { GuestDecisions } from './guests/guestControl'
import type { Hosting, HostRun } from './hosting/hosting'
import type { HostRequest } from './hosting/hostRequest'
import type { Joining, JoinRequest } from './joining/joining'
import type { RoomKeeper } from './kept/roomKeeper'
import { type AttemptControl, beginAttempt } from './state/attempt'
import type { RoomState } from './state/roomState'
import type { RoomView } from './state/roomView'
import type { Role } from './state/stages'

/** The operations of a launcher. Each changes the room's state before it returns; the work goes on in the background. */
export type RoomService = {
  /** @throws ServiceError `conflict` while a role runs */
  host(request: HostRequest): void
  /** @throws ServiceError `conflict` while a role runs */
  join(request: JoinRequest): void
  /** Stops the running role, if there is one; resolves when its sockets are closed. It does not come back at the next start. */
  stop(): Promise<void>
  /** Stops it because the program ends: a room that is kept comes back at the next start, and its players are not told goodbye. */
  close(): Promise<void>
  /** Runs the failed attempt again with the same parameters; a host keeps its code. @returns false when nothing has failed */
  retry(): boolean
  /** Chooses the world while scanning or hosting. @throws ServiceError `conflict` when no host runs */
  chooseGame(port: number): void
  /** Replaces the extra ports of the hosted room. @throws ServiceError `conflict` when no host runs */
  shareOnly(ports: readonly ExtraPort[]): void
  /** Decisions about the guests. @throws ServiceError `conflict` when no host runs, or its room is not open yet */
  guests(): GuestDecisions
  /** Resolves when what was ordered until now would come back after a crash, too, or cannot be kept. */
  kept(): Promise<void>
}

/** The running role. */
type Run = {
  readonly role: Role
  readonly control: AttemptControl
  /** Of a host. */
  readonly host: HostRun | undefined
}

export function createRoomService(dependencies: {
  readonly roomState: RoomState
  readonly hosting: Hosting
  readonly joining: Joining
  readonly keeper: RoomKeeper
  readonly log: Log
}): RoomService {
  const { roomState, hosting, joining, keeper, log } = dependencies
  let running: Run | undefined
  let restartFailed: (() => void) | undefined
  /** Settles when the last attempt has released its sockets; the next one waits for it. */
  let lastEnd: Promise<void> = Promise.resolve()

  return {
    host,
    join,

    stop() {
      keeper.forget()
      return end((control) => void control.stop(stopped()))
    },

    async close() {
      const isKept = keeper.isKeeping()
      const saved = keeper.close()
      await end((control) => void (isKept ? control.abort(stopped()) : control.stop(stopped())))
      await saved
    },

    retry() {
      if (!restartFailed) return false
      restartFailed()
      return true
    },

    guests() {
      const host = hosted()
      const control = host.guests()
      if (!control) throw new ServiceError('conflict', 'The room is not open yet: there are no guests.')
      const keeping = (answer: (id: string) => void) => (id: string) => {
        answer(id)
        keeper.update({ decisions: host.decisions() })
      }
      return {
        approve: keeping((id) => control.approve(id)),
        refuse: keeping((id) => control.refuse(id)),
        kick: keeping((id) => control.kick(id)),
        setPolicy(policy) {
          control.setPolicy(policy)
          keeper.update({ order: { approval: policy.needsApproval, allowed: policy.allowed } })
        },
      }
    },

    kept: keeper.written,

    chooseGame(gamePort) {
      hosted().chooseGame(gamePort)
      keeper.update({ order: { gamePort } })
    },
    shareOnly(ports) {
      hosted().shareOnly(ports)
      keeper.update({ order: { ports } })
    },
  }

  async function end(stopRole: (control: AttemptControl) => void): Promise<void> {
    restartFailed = undefined
    const run = running
    if (run) {
      running = undefined
      log.info('stopping', { role: run.role })
      roomState.transition({ stage: 'Stopping', role: null })
      stopRole(run.control)
    }
    await lastEnd
    // Another role may have started meanwhile.
    const { stage } = roomState.view()
    if (stage === 'Stopping' || stage === 'Error') roomState.transition({ stage: 'Idle', role: null })
  }

  function host(request: HostRequest): void {
    const control = begin('host', request)
    const run = hosting(control.attempt, request)
    // Also of a retry, whose request is that of the first attempt.
    keeper.update({ decisions: run.decisions() })
    running = { role: 'host', control, host: run }
    lastEnd = supervise(
      control,
      lastEnd.then(() => run.run()),
      () => host(request),
    )
  }

  function join(request: JoinRequest): void {
    const control = begin('guest', request)
    running = { role: 'guest', control, host: undefined }
    const run = lastEnd.then(() => joining(control.attempt, request))
    lastEnd = supervise(control, run, () => join(request))
  }

  function hosted(): HostRun {
    if (running?.host) return running.host
    throw new ServiceError('conflict', 'No room is being hosted: start one first.')
  }

  function begin(role: Role, { room, kept }: HostRequest | JoinRequest): AttemptControl {
    if (running) throw new ServiceError('conflict', conflictText(roomState.view()))
    restartFailed = undefined
    keeper.begin(kept)
    const control = beginAttempt(roomState, role, { room: room.text })
    log.info(role === 'host' ? 'hosting' : 'joining', { privacy: room.privacy, room: room.text })
    return control
  }

  /** Reports the failure of a run. Resolves, and never rejects, when the run has ended and its sockets are closed. */
  async function supervise(control: AttemptControl, run: Promise<never>, restart: () => void): Promise<void> {
    try {
      await run
    } catch (error) {
      if (control.isOver()) return
      restartFailed = restart
      showFailure(error, control)
    } finally {
      await control.settled()
    }
  }

  function showFailure(error: unknown, { attempt, abort }: AttemptControl): void {
    const failure = toRoomFailure(error)
    const { code, detail, hint, cause } = failure
    const stage = attempt.stage()
    log.error(detail, { code, stage, cause })
    running = undefined
    keeper.forget()
    roomState.transition({
      stage: 'Error',
      role: attempt.role,
      url: null,
      gamePort: 0,
      players: [],
      guests: [],
      connections: [],
      ports: [],
      failure: { code, type: exceptionTypeOf(code, attempt.role), detail, hint, stage },
    })
    abort(failure)
  }
}

function conflictText({ role }: RoomView): string {
  const activities = { host: 'A room is being hosted', guest: 'A room is being joined' }
  return `${role ? activities[role] : 'A role is running'} already: stop it first with POST /room/stop.`
}

function stopped(): ServiceError {
  return new ServiceError('unavailable', 'The room was stopped.')
}
