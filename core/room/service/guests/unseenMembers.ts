import type { Clock } from '@lantern-room/base/async'
import { onAbort } from '@lantern-room/base/async'
import type { Member } from '../../networkStatus'

/** How long a member may be in the network until a player is registered for it: guests ping every 5 s. */
export const REGISTER_MS = 15_000
/** How often members with something open to the world are looked at, if nothing else changes. */
const LOOK_MS = 5_000

export type UnseenMembers = ReturnType<typeof createUnseenMembers>

/** The members of a hosted room that no player speaks for: they never registered one, or it has expired. */
export function createUnseenMembers(dependencies: {
  readonly members: () => readonly Member[]
  /** Whether a player of this member is in the room, or the host has let it in without one. */
  readonly hasPlace: (memberId: string) => boolean
  /** The members that have something open to the world. */
  readonly inWorld: () => readonly string[]
  /** A line that is lost may come back, and its game outlives that, where the guest says goodbye when it leaves. */
  readonly mayReturn: (memberId: string) => boolean
  /** Called with each that is overdue, or has left without a goodbye, and has something open to the world: it is to be closed. */
  readonly onEnd: (memberId: string, why: 'unregistered' | 'gone') => void
  readonly onChange: () => void
  readonly clock: Clock
  readonly signal: AbortSignal
}) {
  const { members, hasPlace, inWorld, mayReturn, onEnd, onChange, clock, signal } = dependencies
  /** Since when each has been in the network without a player. */
  const since = new Map<string, number>()
  let listed: readonly Member[] = []
  let cancel = () => {}
  onAbort(signal, () => cancel())

  return {
    /** To be called when members, their players or their streams may have changed. */
    look,
    /** The members whose time to register is over. */
    list: (): readonly Member[] => listed,
    isOverdue,
  }

  function look(): void {
    if (signal.aborted) return
    const unseen = members().filter(({ id }) => !hasPlace(id))
    noteUnseen(unseen)
    for (const id of inWorld()) end(id)
    show(unseen.filter(({ id }) => isOverdue(id)))
    cancel()
    const next = Math.min(
      // One that has never registered leaves no trace but its streams: no expiry of a player brings the next look.
      inWorld().length > 0 ? clock.now() + LOOK_MS : Number.POSITIVE_INFINITY,
      ...[...since.values()].map((at) => at + REGISTER_MS).filter((at) => at > clock.now()),
    )
    cancel = Number.isFinite(next) ? clock.after(next - clock.now(), look) : () => {}
  }

  function noteUnseen(unseen: readonly Member[]): void {
    const ids = new Set(unseen.map(({ id }) => id))
    for (const id of since.keys()) if (!ids.has(id)) since.delete(id)
    for (const id of ids) if (!since.has(id)) since.set(id, clock.now())
  }

  function end(id: string): void {
    if (hasPlace(id)) return
    if (isOverdue(id)) onEnd(id, 'unregistered')
    else if (!since.has(id) && !mayReturn(id)) onEnd(id, 'gone')
  }

  function isOverdue(memberId: string): boolean {
    const at = since.get(memberId)
    return at !== undefined && clock.now() - at >= REGISTER_MS
  }

  function show(next: readonly Member[]): void {
    const isSame = next.length === listed.length && next.every(({ id }, at) => id === listed[at]?.id)
    listed = next
    if (!isSame) onChange()
  }
}
