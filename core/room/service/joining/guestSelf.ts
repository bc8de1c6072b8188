import { randomBytes } from 'node:crypto'
import type { Clock } from '@lantern-room/base/async'
import type { Player, Profile } from '@lantern-room/protocol'

/** What a guest is known by in one room. */
type RoomIdentity = {
  /** Seen by all players. */
  readonly machineId: string
  /** Shown to the host of a private room alone, 32 bytes. */
  readonly proof: Uint8Array
}

/** Longer than hosts keep a player that has gone: 15 s, Terracotta 10 s. */
const KEPT_MS = 20_000

/**
 * Who this guest is in one room, for the whole run of the program: what the data folder says, or by chance once another member of
 * the room has turned out to be the same, which has a copy of the folder.
 * @see docs/decisions.md, D160
 */
export class GuestSelf {
  readonly #clock: Pick<Clock, 'now'>
  #current: RoomIdentity
  #isFresh = false
  #isShared = false
  /** When this run has registered the player last, at a host that cannot be asked. */
  #registeredAt: number | undefined
  /** The name under which such a host has listed it. */
  #listedName: string | undefined
  /** Since when such a host lists the id, by which this run has not registered. */
  #foundAt: number | undefined

  constructor(lasting: RoomIdentity, clock: Pick<Clock, 'now'>) {
    this.#current = lasting
    this.#clock = clock
  }

  get machineId(): string {
    return this.#current.machineId
  }

  get proof(): Uint8Array {
    return this.#current.proof
  }

  /** Whether another member has the same data folder. */
  get hasCopy(): boolean {
    return this.#isFresh || this.#isShared
  }

  /** @param isShared what the host says */
  note(isShared: boolean): void {
    this.#isShared = isShared
  }

  renew(): void {
    this.#current = {
      machineId: randomBytes(16).toString('hex'),
      proof: new Uint8Array(randomBytes(32)),
    }
    this.#isFresh = true
    this.#registeredAt = undefined
    this.#foundAt = undefined
  }

  /**
   * Tells by the list of a host that cannot be asked, as it is before the player registers there, whether the id is free. An entry of the
   * same name may be that of an earlier run, which goes by itself as long as nothing is registered.
   */
  judge(list: readonly Profile[], { name, vendor }: Player): 'free' | 'unclear' | 'taken' {
    const listed = list.find(({ machineId }) => machineId === this.machineId)
    if (!listed) {
      this.#foundAt = undefined
      return 'free'
    }
    if (listed.kind === 'HOST') return 'taken'
    const now = this.#clock.now()
    const isSame = listed.name === name && listed.vendor === vendor
    if (this.#registeredAt !== undefined && now - this.#registeredAt < KEPT_MS) {
      // A host may list names in its own way: only one that has shown the right one before shows another player's now.
      const isOfAnother = !isSame && this.#listedName === name
      if (isSame) this.#listedName = name
      return isOfAnother ? 'taken' : 'free'
    }
    if (!isSame) return 'taken'
    this.#foundAt ??= now
    return now - this.#foundAt < KEPT_MS ? 'unclear' : 'taken'
  }

  /** The player has been registered at a host that cannot be asked. */
  noteRegistered(): void {
    this.#registeredAt = this.#clock.now()
  }
}

/** Whether an older host of this program, which tells equal names apart and changes none otherwise, lists another player by this id. */
export function isListedAsAnother(list: readonly Profile[], { machineId, name }: Player): boolean {
  const listed = list.find((profile) => profile.machineId === machineId)
  if (!listed) return false
  return listed.kind === 'HOST' || listed.name.replace(/ \(\d+\)$/, '') !== name.replace(/ \(\d+\)$/, '')
}
