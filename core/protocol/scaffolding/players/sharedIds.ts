import { createHash } from 'node:crypto'
import { addNewest, setNewest } from '@lantern-room/base/limits'
import type { OnOverShare } from '../../members'
import type { Player, Profile } from '../../profiles'
import type { RoomCaller } from '../wire/commands'

export type SharedIdsOptions = {
  /** The host's own machine id in this room. */
  readonly hostId: string
  /** The player with this machine id and its member: in the room, waiting to be let in, or gone for a moment. */
  readonly holderOf: (machineId: string) => IdHolder | undefined
  /** Takes the player off: its program is back as another member. */
  readonly release: (machineId: string) => void
  /** Called with the former member of a player who was taken off so: what it has open leads to a program that is gone. */
  readonly onReplaced: (memberId: string) => void
  /** Whether a member is in the network. */
  readonly isConnected: (memberId: string) => boolean
  /** Asks a member for a sign of life, and waits for some seconds. */
  readonly answers: (memberId: string) => Promise<boolean>
  readonly onOverShare: OnOverShare
  /** Called when `all` has changed. */
  readonly onChange: () => void
}

/** Who has a machine id, and the member that speaks for this player. */
export type IdHolder = { readonly name: string; readonly memberId: string }

/** A machine id that two members have come with, and the one that came later. */
export type SharedId = { readonly machineId: string; readonly laterMemberId: string }

/** Several times the players of a room. */
const MAX_KEPT = 256
/** So many members of one machine id are told apart. */
const MAX_STAND_INS = 8

/**
 * The machine ids that several members have come with: copies of one data folder, or of one machine. It is one player, which has
 * come back, if the run is the same, or the name is and the earlier member gives no sign of life; else the later one becomes a player of its
 * own: it takes a fresh id where its program can be told (`lantern:player`), and has a stand-in in its place where not.
 * @see docs/decisions.md, D160
 * @example const ids = new SharedIds({ hostId, holderOf, release, isConnected, answers, onOverShare, onChange })
 */
export class SharedIds {
  readonly #options: SharedIdsOptions
  /** Runs by the member that has told them. */
  readonly #runs = new Map<string, string>()
  /** Connections whose program asks before it registers, with what it was denied. */
  readonly #asking = new WeakMap<RoomCaller, Set<string>>()
  /** The stand-ins for what members call themselves. */
  readonly #standIns = new Map<string, Map<string, string>>()
  /** Pairs of a member and an id whose holder gave no sign of life. */
  readonly #silent = new Set<string>()
  readonly #questions = new Map<string, Promise<boolean>>()
  readonly #shared = new Map<string, SharedId>()

  constructor(options: SharedIdsOptions) {
    this.#options = options
  }

  all(): readonly SharedId[] {
    return [...this.#shared.values()]
  }

  readonly isShared = (machineId: string): boolean => this.all().some((one) => one.machineId === machineId)

  /** The id under which the host keeps what this member calls so. */
  readonly known = (machineId: string, memberId: string): string =>
    this.#standIns.get(memberId)?.get(machineId) ?? machineId

  /** The id under which to register a player; undefined where nothing is to be registered, now or at all. */
  readonly idFor = (machineId: string, caller: RoomCaller): string | undefined => {
    const { memberId } = caller
    const denied = this.#asking.get(caller)
    if (denied) return denied.has(machineId) ? undefined : machineId
    const known = this.known(machineId, memberId)
    if (known !== machineId) return known
    const holder = this.#otherHolder(machineId, memberId)
    if (holder === undefined) return machineId
    this.#options.onOverShare(memberId, 'machine-ids')
    void this.#settle(machineId, memberId, holder)
    return this.#silent.has(pairOf(machineId, memberId)) ? machineId : undefined
  }

  /**
   * Decides whether this id is the caller's own.
   * @param run of its program
   * @returns false when it has to take a fresh one
   */
  readonly claim = async (player: Player, run: string, caller: RoomCaller): Promise<boolean> => {
    const { memberId } = caller
    const { machineId } = player
    const denied = this.#asking.get(caller) ?? new Set()
    this.#asking.set(caller, denied)
    setNewest(this.#runs, memberId, run, MAX_KEPT)
    if (!(await this.#isOfAnother(player, memberId, run))) return true
    addNewest(denied, machineId, MAX_KEPT)
    this.#note(machineId, memberId)
    return false
  }

  /** The players as a member is to see them: under the id that it calls itself. */
  readonly seenBy = (memberId: string, profiles: readonly Profile[]): readonly Profile[] => {
    const names = new Map(
      [...(this.#standIns.get(memberId) ?? [])].flatMap(([own, other]) => swap(own, other)),
    )
    if (names.size === 0) return profiles
    return profiles.map((profile) => ({
      ...profile,
      machineId: names.get(profile.machineId) ?? profile.machineId,
    }))
  }

  /** Whether it is the id of another program, or of another player who is back in a moment. */
  async #isOfAnother({ machineId, name }: Player, memberId: string, run: string): Promise<boolean> {
    if (machineId === this.#options.hostId) return true
    const holder = this.#options.holderOf(machineId)
    if (holder === undefined || holder.memberId === memberId) return false
    if (this.#runs.get(holder.memberId) === run) {
      this.#replace(machineId, holder.memberId)
      return false
    }
    if (holder.name.toLowerCase() !== name.toLowerCase()) return true
    if (this.#otherHolder(machineId, memberId) === undefined) return false
    const isAlive = await this.#answers(holder.memberId)
    if (this.#otherHolder(machineId, memberId) !== holder.memberId) return false
    if (!isAlive) this.#replace(machineId, holder.memberId)
    return isAlive
  }

  /** The player is back as another member. */
  #replace(machineId: string, formerMemberId: string): void {
    this.#options.release(machineId)
    this.#options.onReplaced(formerMemberId)
  }

  /** For programs that cannot be told: from the next ping on there is a stand-in, if the holder has answered. */
  async #settle(machineId: string, memberId: string, holder: string): Promise<void> {
    const pair = pairOf(machineId, memberId)
    const isAlive = await this.#answers(holder)
    if (!isAlive) addNewest(this.#silent, pair, MAX_KEPT)
    else this.#silent.delete(pair)
    if (this.#otherHolder(machineId, memberId) !== holder) return
    if (!isAlive) return this.#replace(machineId, holder)
    const free = Array.from({ length: MAX_STAND_INS }, (_, at) => standInFor(machineId, at)).find(
      (id) => this.#otherHolder(id, memberId) === undefined,
    )
    if (free === undefined) return
    const own = this.#standIns.get(memberId) ?? new Map()
    setNewest(this.#standIns, memberId, own, MAX_KEPT)
    setNewest(own, machineId, free, MAX_STAND_INS)
    this.#note(machineId, memberId)
  }

  #otherHolder(machineId: string, memberId: string): string | undefined {
    const holder = this.#options.holderOf(machineId)
    const isOther = holder !== undefined && holder.memberId !== memberId
    return isOther && this.#options.isConnected(holder.memberId) ? holder.memberId : undefined
  }

  /** Several questions at a time are one. */
  #answers(memberId: string): Promise<boolean> {
    const asked = this.#questions.get(memberId)
    if (asked) return asked
    const answer = this.#options.answers(memberId).finally(() => this.#questions.delete(memberId))
    this.#questions.set(memberId, answer)
    return answer
  }

  #note(machineId: string, laterMemberId: string): void {
    setNewest(this.#shared, pairOf(machineId, laterMemberId), { machineId, laterMemberId }, MAX_KEPT)
    this.#options.onChange()
  }
}

function pairOf(machineId: string, memberId: string): string {
  return `${memberId} ${machineId}`
}

/** By the id alone: what the host decides about it holds also when it comes back as another member. */
function standInFor(machineId: string, at: number): string {
  return createHash('sha256').update(`lantern stand-in ${at} ${machineId}`).digest('hex').slice(0, 32)
}

function swap(one: string, other: string): [string, string][] {
  return [
    [one, other],
    [other, one],
  ]
}
