import type { Clock } from '#core/async/clock'
import type { Member, MemberLink } from '../../networkStatus'

/** What is left of an earlier run of this host stays visible for less. */
const STALE_MS = 30_000

/** The members that host with the code of this room as well, as its host sees them: friends by mistake, or imposters. */
export type SecondHosts = {
  /** To be called when members or links may have changed. */
  look(): void
  list(): readonly Member[]
}

export function createSecondHosts(dependencies: {
  /** Those that are in the network. */
  readonly members: () => readonly Member[]
  readonly links: () => readonly MemberLink[]
  readonly isRemoved: (memberId: string) => boolean
  readonly clock: Pick<Clock, 'now'>
}): SecondHosts {
  const { members, links, isRemoved, clock } = dependencies
  let since: ReadonlyMap<string, number> = new Map()
  /** Those that have answered something, so that they are running. */
  let alive: ReadonlySet<string> = new Set()
  const hosts = () => members().filter(({ id, isHost }) => isHost === true && !isRemoved(id))

  return {
    look() {
      const answered = links().filter(({ latencyMs }) => latencyMs !== undefined)
      const ids = hosts().map(({ id }) => id)
      since = new Map(ids.map((id) => [id, since.get(id) ?? clock.now()]))
      alive = new Set(ids.filter((id) => alive.has(id) || answered.some(({ memberId }) => memberId === id)))
    },
    list: () => hosts().filter(({ id }) => alive.has(id) || isOld(id)),
  }

  function isOld(id: string): boolean {
    const at = since.get(id)
    return at !== undefined && clock.now() - at >= STALE_MS
  }
}
