import { withDeadline } from '#core/async/deadline'
import { createSingleFlight } from '#core/async/singleFlight'
import { setNewest } from '#core/boundedMemory'
import { abortReason, ServiceError } from '#core/errors'
import { nodesOfRoom } from '../../nodes/nodes'
import type { FindHostDependencies, HostWanted } from '../joining/findHost'
import type { Feed } from '../state/feed'
import type { RoomState } from '../state/roomState'

/** Whether rooms are open, without joining them. */
export type RoomChecks = {
  /**
   * Whether the host of a room can be found now. One room is searched at a time, and an answer holds for some seconds.
   * @param signal ends the search, unless another caller waits for it
   * @throws ServiceError `conflict` while a role runs; the signal's reason
   */
  isOpen(
    room: Pick<HostWanted, 'room' | 'nodes' | 'hostKey' | 'direct'>,
    signal: AbortSignal,
  ): Promise<boolean>
}

/** A member that stays for 15 s without a player is shown to the host. */
const SEARCH_MS = 10_000
const KEPT_MS = 15_000
const MAX_ANSWERS = 8

/** @param stopping ends all searches, as the begin of a role does */
export function createRoomChecks({
  roomNetwork,
  knownHosts,
  configuredNodes,
  roomState,
  feed,
  clock,
  stopping,
}: Omit<FindHostDependencies, 'knownHosts'> & {
  readonly knownHosts: Pick<FindHostDependencies['knownHosts'], 'keyOf'>
  readonly roomState: Pick<RoomState, 'view'>
  readonly feed: Pick<Feed, 'subscribe'>
  readonly stopping: AbortSignal
}): RoomChecks {
  const flights = createSingleFlight<boolean>()
  /** By the code of the room. */
  const answers = new Map<string, { readonly isOpen: boolean; readonly at: number }>()
  let lastSearch: Promise<unknown> = Promise.resolve()
  let withoutRole = new AbortController()
  feed.subscribe((message) => {
    if (message.type !== 'state' || message.role === null) return
    answers.clear()
    withoutRole.abort(roleRuns())
    withoutRole = new AbortController()
  })

  return {
    async isOpen(wanted, signal) {
      if (roomState.view().role !== null) throw roleRuns()
      const { text } = wanted.room
      const known = answers.get(text)
      if (known && clock.now() - known.at < KEPT_MS) return known.isOpen
      const ending = AbortSignal.any([signal, stopping, withoutRole.signal])
      return flights.run(text, ending, (searching) => {
        const search = lastSearch.then(() => find(wanted, searching))
        lastSearch = search.catch(() => undefined)
        return search
      })
    },
  }

  async function find(wanted: Parameters<RoomChecks['isOpen']>[0], signal: AbortSignal): Promise<boolean> {
    const { room, direct } = wanted
    const hostKey = wanted.hostKey ?? (await knownHosts.keyOf(room))
    const nodes = nodesOfRoom(configuredNodes(), wanted.nodes)
    if (signal.aborted) throw abortReason(signal)
    const late = () => new ServiceError('timeout', 'The host was not found in time.')
    const isOpen = await withDeadline(clock, SEARCH_MS, signal, late, (searching) =>
      roomNetwork.find({ room, hostKey, nodes, direct, signal: searching }),
    ).then(
      () => true,
      () => false,
    )
    if (signal.aborted) throw abortReason(signal)
    setNewest(answers, room.text, { isOpen, at: clock.now() }, MAX_ANSWERS)
    return isOpen
  }
}

function roleRuns(): ServiceError {
  return new ServiceError('conflict', 'A room is open or joined: others are looked for when it is left.')
}
