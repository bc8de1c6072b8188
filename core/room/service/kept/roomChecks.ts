import { ServiceError } from '@lantern-room/base'
import type { Clock } from '@lantern-room/base/async'
import { createSingleFlight, withDeadline } from '@lantern-room/base/async'
import { setNewest } from '@lantern-room/base/limits'
import { nodesOfGuest } from '../../nodes/nodes'
import type { FindOptions, RoomNetwork } from '../../roomNetwork'
import type { Feed } from '../state/feed'

/**
 * Whether somebody hosts a room now. One room is searched at a time, and an answer holds for some seconds.
 * @param wanted `nodes` beside the configured ones; the signal ends the search, unless another caller waits for it
 * @throws ServiceError `conflict` when a role begins; the signal's reason
 */
export type CheckRoom = (wanted: FindOptions) => Promise<boolean>

/** A member that stays for 15 s without a player is shown to the host. */
const SEARCH_MS = 10_000
const KEPT_MS = 15_000
const MAX_ANSWERS = 8

type RoomCheckDependencies = {
  readonly roomNetwork: Pick<RoomNetwork, 'find'>
  readonly nodes: () => readonly string[]
  readonly feed: Pick<Feed, 'subscribe'>
  readonly clock: Clock
  readonly stopping: AbortSignal
}

/** @param stopping ends all searches */
export function createRoomCheck(dependencies: RoomCheckDependencies): CheckRoom {
  const { roomNetwork, feed, clock, stopping } = dependencies
  const flights = createSingleFlight<boolean>()
  /** By the code of the room. */
  const answers = new Map<string, { readonly isOpen: boolean; readonly at: number }>()
  let lastSearch: Promise<unknown> = Promise.resolve()
  let idle = new AbortController()
  feed.subscribe((message) => {
    if (message.type !== 'state') return
    if (message.role !== null) idle.abort(roleRuns())
    else if (idle.signal.aborted) idle = new AbortController()
    answers.clear()
  })

  return async (wanted) => {
    const { text } = wanted.room
    const known = answers.get(text)
    if (known && clock.now() - known.at < KEPT_MS) return known.isOpen
    const ending = AbortSignal.any([wanted.signal, stopping, idle.signal])
    return flights.run(text, ending, (signal) => {
      const search = lastSearch.then(() => find({ ...wanted, signal }))
      lastSearch = search.catch(() => undefined)
      return search
    })
  }

  async function find(wanted: FindOptions): Promise<boolean> {
    wanted.signal.throwIfAborted()
    const nodes = nodesOfGuest(dependencies.nodes(), wanted)
    const late = () => new Error('the host was not found in time')
    const finding = withDeadline(clock, SEARCH_MS, wanted.signal, late, (signal) =>
      roomNetwork.find({ ...wanted, ...nodes, signal }),
    )
    const isOpen = await finding.then(() => true).catch(() => false)
    wanted.signal.throwIfAborted()
    setNewest(answers, wanted.room.text, { isOpen, at: clock.now() }, MAX_ANSWERS)
    return isOpen
  }
}

const roleRuns = () => new ServiceError('conflict', 'A room is open or joined: leave it first.')
