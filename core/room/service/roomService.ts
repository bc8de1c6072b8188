import { ServiceError } from '#core/errors'
import type { Log } from '#core/log'
import { exceptionTypeOf, FAILURES, RoomFailure } from '../failure'
import { type AttemptControl, beginAttempt } from './attempt'
import type { ChosenGame, Hosting } from './hosting'
import type { Joining } from './joining'
import type { HostRequest, JoinRequest } from './requests'
import type { RoomState, RoomView } from './roomState'
import type { Role } from './stages'

/** What a launcher can do. The view after each is on the roomState at once; the work goes on behind it. */
export type RoomService = {
  /** @throws ServiceError `conflict` while a role runs */
  host(order: HostRequest): void
  /** @throws ServiceError `conflict` while a role runs */
  join(order: JoinRequest): void
  /** Ends whatever runs, also nothing; resolves when its sockets are gone. */
  stop(): Promise<void>
  /** Runs the failed attempt again with the same parameters; a host keeps its code. @returns false when nothing has failed */
  retry(): boolean
  /** Chooses the world while scanning or hosting. @throws ServiceError `conflict` when no host runs */
  chooseGame(port: number): void
}

type Order =
  | { readonly role: 'host'; readonly order: HostRequest }
  | { readonly role: 'guest'; readonly order: JoinRequest }

type Run = {
  readonly control: AttemptControl
  readonly order: Order
  readonly chosen: ChosenGame
  readonly over: Promise<void>
}

export function createRoomService(dependencies: {
  readonly roomState: RoomState
  readonly hosting: Hosting
  readonly joining: Joining
  readonly log: Log
}): RoomService {
  const { roomState, hosting, joining, log } = dependencies
  let running: Run | undefined
  let failed: Order | undefined
  /** The end of the last attempt: sockets of the next wait for it. */
  let lastEnd: Promise<void> = Promise.resolve()

  return {
    host: (order) => start({ role: 'host', order }),
    join: (order) => start({ role: 'guest', order }),

    async stop() {
      failed = undefined
      const run = running
      if (run) {
        running = undefined
        log.info('stopping', { role: run.order.role })
        roomState.transition({ stage: 'Stopping', role: null })
        run.control.abort(stopped())
      }
      await lastEnd
      // Another role may have begun meanwhile; its stage is its own.
      const { stage } = roomState.view()
      if (stage === 'Stopping' || stage === 'Error') roomState.transition({ stage: 'Idle', role: null })
    },

    retry() {
      if (!failed) return false
      start(failed)
      return true
    },

    chooseGame(port) {
      if (running?.order.role !== 'host') {
        throw new ServiceError('conflict', 'No room is being hosted: start one first.')
      }
      const { chosen } = running
      if (chosen.choose) chosen.choose(port)
      else chosen.port = port
    },
  }

  function start(order: Order): void {
    if (running) throw new ServiceError('conflict', conflictText(roomState.view()))
    failed = undefined
    const { role } = order
    const { room } = order.order
    const control = beginAttempt(roomState, role, { room: room.text })
    const before = lastEnd
    const chosen: ChosenGame = {}
    const over = work(order, control, chosen, before)
    lastEnd = over
    running = { control, order, chosen, over }
    log.info(role === 'host' ? 'hosting' : 'joining', { network: room.networkName })
  }

  async function work(
    order: Order,
    control: AttemptControl,
    chosen: ChosenGame,
    before: Promise<void>,
  ): Promise<void> {
    const { attempt } = control
    try {
      await before
      if (order.role === 'host') await hosting(attempt, order.order, chosen)
      else await joining(attempt, order.order)
      throw new RoomFailure('internal', 'The room ended by itself.')
    } catch (error) {
      if (!attempt.signal.aborted) fail(error, order, control)
    } finally {
      await control.settled()
    }
  }

  function fail(error: unknown, order: Order, control: AttemptControl): void {
    const failure =
      error instanceof RoomFailure
        ? error
        : new RoomFailure('internal', 'Something went wrong here.', { cause: error })
    const { attempt } = control
    const stage = attempt.stage()
    const { room } = roomState.view()
    log.error(failure.detail, { code: failure.code, stage, cause: causeOf(failure) })
    failed = order
    running = undefined
    roomState.transition({
      stage: 'Error',
      role: order.role,
      room,
      url: null,
      gamePort: 0,
      players: [],
      failure: {
        code: failure.code,
        type: exceptionTypeOf(failure.code, order.role),
        detail: failure.detail,
        hint: FAILURES[failure.code].hint,
        stage,
      },
    })
    control.abort(failure)
  }
}

function conflictText({ role }: RoomView): string {
  const what: Record<Role, string> = { host: 'A room is being hosted', guest: 'A room is being joined' }
  return `${role ? what[role] : 'A role is running'} already: stop it first with POST /room/stop.`
}

function stopped(): ServiceError {
  return new ServiceError('unavailable', 'The room was stopped.')
}

function causeOf({ cause }: Error): unknown {
  return cause instanceof Error
    ? { message: cause.message, ...(cause.cause !== undefined && { cause: causeOf(cause) }) }
    : cause
}
