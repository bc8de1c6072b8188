import type { Log } from '@lantern-room/base'
import { ServiceError } from '@lantern-room/base'
import type { ExtraPort } from '@lantern-room/protocol'
import type { AdmissionPolicy } from '@lantern-room/protocol/server'
import { exceptionTypeOf, toRoomFailure } from '../failure'
import { createKeptNumbers, type KeptNumbers } from '../localNumbers'
import type { Hosting, HostRun } from './hosting/hosting'
import type { HostRequest } from './hosting/hostRequest'
import type { Joining, JoinRequest } from './joining/joining'
import type { RoomKeeper } from './kept/roomKeeper'
import { type AttemptControl, beginAttempt } from './state/attempt'
import type { RoomPatch, RoomState } from './state/roomState'
import type { RoomView } from './state/roomView'
import type { Role, Stage } from './state/stages'

export type RoomService = Pick<RoleService, keyof RoleService>

type Run = {
  readonly role: Role
  readonly control: AttemptControl
  /** Set while a host runs. */
  readonly host: HostRun | undefined
  /** Set while a guest runs. */
  readonly numbers: KeptNumbers | undefined
  /** Set while a guest runs that does not wait for its host: joins again, and waits. */
  readonly waitInstead?: (() => void) | undefined
}

type RoomServiceDependencies = {
  readonly roomState: RoomState
  readonly hosting: Hosting
  readonly joining: Joining
  readonly keeper: RoomKeeper
  readonly log: Log
}

/** The operations of a launcher. Each changes the room's state before it returns; the work goes on in the background. */
export class RoleService {
  readonly #dependencies: RoomServiceDependencies
  #running: Run | undefined
  #restartFailed: ((waits?: boolean) => void) | undefined
  /** Settles when the last attempt has released its sockets; the next one waits for it. */
  #lastEnd: Promise<void> = Promise.resolve()

  constructor(dependencies: RoomServiceDependencies) {
    this.#dependencies = dependencies
  }

  /** @throws ServiceError `conflict` while a role runs */
  host(request: HostRequest): void {
    const { hosting, keeper } = this.#dependencies
    const control = this.#begin('host', request, { admission: request.admission })
    const run = hosting(control.attempt, request)
    keeper.update({ decisions: run.decisions() })
    this.#running = { role: 'host', control, host: run, numbers: undefined }
    const running = this.#lastEnd.then(() => run.run())
    this.#lastEnd = this.#supervise(control, running, () => {
      const again = { ...run.asOrdered(), kept: keeper.current() }
      return () => this.host(again)
    })
  }

  /**
   * @param waits instead of what the request says
   * @param numbers what the player has allowed, where it is not what the request says
   * @throws ServiceError `conflict` while a role runs
   */
  join(request: JoinRequest, waits = request.waits, numbers = createKeptNumbers(request.keepPorts)): void {
    const { joining } = this.#dependencies
    const control = this.#begin('guest', request, { keepPorts: numbers.all() })
    const waitInstead = waits ? undefined : () => this.join(request, true, numbers)
    this.#running = { role: 'guest', control, host: undefined, numbers, waitInstead }
    const running = this.#lastEnd.then(() => joining(control.attempt, request, waits, numbers))
    this.#lastEnd = this.#supervise(
      control,
      running,
      () => (again) => this.join(request, again ?? waits, numbers),
    )
  }

  /** Stops the running role, if there is one; resolves when its sockets are closed. It does not come back at the next start. */
  stop(): Promise<void> {
    this.#dependencies.keeper.forget()
    return this.#end((control) => void control.stop(stopped()))
  }

  /** Stops it because the program ends: a room that is kept comes back at the next start, and its players are not told goodbye. */
  async close(): Promise<void> {
    const { keeper } = this.#dependencies
    const isKept = keeper.isKeeping()
    const saved = keeper.close()
    await this.#end((control) => void (isKept ? control.abort(stopped()) : control.stop(stopped())))
    await saved
  }

  /**
   * Runs the failed attempt again with the same parameters; a host keeps its code, and what was ordered since. A guest that is still
   * looking for its host can be told to wait for it.
   * @param waits whether a guest waits for its host this time; undefined = as before
   * @returns false when there is nothing to run again
   */
  retry(waits?: boolean): boolean {
    if (!this.#restartFailed) return waits === true && this.#waitForHost()
    this.#restartFailed(waits)
    return true
  }

  /**
   * Decisions about the guests, by the ids of players or of members without one.
   * @throws ServiceError `conflict` when no host runs, or its room is not open yet
   */
  guests() {
    const { keeper, roomState } = this.#dependencies
    const host = this.#hosted()
    const control = host.guests()
    if (!control) throw new ServiceError('conflict', 'The room is not open yet: there are no guests.')
    const { admission } = control
    const keeping = (answer: (id: string) => void) => (id: string) => {
      answer(id)
      keeper.update({ decisions: host.decisions() })
    }
    return {
      approve: keeping(admission.approve),
      refuse: keeping((id) => control.refuse(id)),
      kick: keeping((id) => control.kick(id)),
      policy: admission.policy,
      setPolicy(policy: AdmissionPolicy): void {
        admission.setPolicy(policy)
        roomState.update({ admission: policy })
        keeper.update({ order: { approval: policy.needsApproval, allowed: policy.allowed } })
      },
    }
  }

  /** Resolves when what was ordered until now would come back after a crash, too, or cannot be kept. */
  kept(): Promise<void> {
    return this.#dependencies.keeper.written()
  }

  /** Chooses the world while scanning or hosting. @throws ServiceError `conflict` when no host runs */
  chooseGame(gamePort: number): void {
    this.#hosted().ports.world.choose(gamePort)
    this.#dependencies.keeper.update({ order: { gamePort } })
  }

  /** Replaces the extra ports of the hosted room. @throws ServiceError `conflict` when no host runs */
  shareOnly(ports: readonly ExtraPort[]): void {
    this.#hosted().ports.shareOnly(ports)
    this.#dependencies.keeper.update({ order: { ports } })
  }

  /**
   * Replaces the numbers that ports of the host may have on this machine beside those that games use.
   * @throws ServiceError `conflict` when no guest runs
   */
  keepPorts(ports: readonly number[]): void {
    const { roomState, keeper } = this.#dependencies
    const numbers = this.#running?.numbers
    if (!numbers) throw new ServiceError('conflict', 'No room is being joined: join one first.')
    numbers.allowOnly(ports)
    roomState.update({ keepPorts: ports })
    keeper.update({ order: { keepPorts: ports } })
  }

  async #end(stopRole: (control: AttemptControl) => void): Promise<void> {
    const { roomState, log } = this.#dependencies
    this.#restartFailed = undefined
    const run = this.#running
    if (run) {
      this.#running = undefined
      log.info('stopping', { role: run.role })
      roomState.transition({ stage: 'Stopping', role: null })
      stopRole(run.control)
    }
    await this.#lastEnd
    // Another role may have started meanwhile.
    const { stage } = roomState.view()
    if (stage === 'Stopping' || stage === 'Error') roomState.transition({ stage: 'Idle', role: null })
  }

  /** @returns false where no guest looks for its host, or it waits already */
  #waitForHost(): boolean {
    const { roomState } = this.#dependencies
    const run = this.#running
    if (!run?.waitInstead || !LOOKING.has(roomState.view().stage)) return false
    this.#running = undefined
    run.control.abort(stopped())
    run.waitInstead()
    return true
  }

  #hosted(): HostRun {
    if (this.#running?.host) return this.#running.host
    throw new ServiceError('conflict', 'No room is being hosted: start one first.')
  }

  #begin(role: Role, { room, kept }: HostRequest | JoinRequest, patch: RoomPatch): AttemptControl {
    const { roomState, keeper, log } = this.#dependencies
    if (this.#running) throw new ServiceError('conflict', conflictText(roomState.view()))
    this.#restartFailed = undefined
    keeper.begin(kept)
    const shown = { ...patch, room: room.text, privacy: room.privacy }
    const control = beginAttempt(roomState, role, shown)
    log.info(role === 'host' ? 'hosting' : 'joining', { privacy: room.privacy, room: room.text })
    return control
  }

  /**
   * Reports the failure of a run. Resolves, and never rejects, when the run has ended and its sockets are closed.
   * @param toRestart called at a failure
   */
  async #supervise(
    control: AttemptControl,
    run: Promise<never>,
    toRestart: () => (waits?: boolean) => void,
  ): Promise<void> {
    try {
      await run
    } catch (error) {
      if (control.attempt.isOver()) return
      this.#restartFailed = toRestart()
      this.#showFailure(error, control)
    } finally {
      await control.settled()
    }
  }

  #showFailure(error: unknown, { attempt, abort }: AttemptControl): void {
    const { roomState, keeper, log } = this.#dependencies
    const failure = toRoomFailure(error)
    const { code, detail, hint, hintCode, cause } = failure
    const stage = attempt.stage()
    log.error(detail, { code, stage, cause })
    this.#running = undefined
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
      failure: { code, type: exceptionTypeOf(code, attempt.role), detail, hint, hintCode, stage },
    })
    abort(failure)
  }
}

/** A guest has not found its host yet. */
const LOOKING: ReadonlySet<Stage> = new Set([
  'Guest_Prepare',
  'Guest_NetworkStarting',
  'Guest_DiscoveringCenter',
])

function conflictText({ role }: RoomView): string {
  const activities = { host: 'A room is being hosted', guest: 'A room is being joined' }
  return `${role ? activities[role] : 'A role is running'} already: stop it first with POST /room/stop.`
}

function stopped(): ServiceError {
  return new ServiceError('unavailable', 'The room was stopped.')
}
