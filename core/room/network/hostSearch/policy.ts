import { type FailureCode, HOST_CHANGED, RoomFailure } from '../../failure'

/**
 * What a guest does on its way to its host, and in which time: until it is found, while it is there, and after a loss. All
 * times are milliseconds.
 * @see docs/decisions.md, D145
 */

/** The state of a search for the host in a room's network. */
export type Search<Host> = {
  /** The members that call themselves the host and are visible now. */
  readonly hosts: readonly Host[]
  /** Those of them that have answered as the host, the first one first. They are asked where there are several, or a key is known. */
  readonly proved: readonly Host[]
  /** The candidates that have not answered as the host. */
  readonly others: readonly Host[]
  /** Whether the host's key is known, so that only a host that proves it is taken. */
  readonly needsProof: boolean
  readonly elapsedMs: number
  /** Since a shared node or a member was reached. */
  readonly connectedMs: number | undefined
  readonly hasNodes: boolean
  /** Whether a member or a shared node has refused the room's secret. */
  readonly wasRefused: boolean
  /** Whether every shared node has refused it. */
  readonly isRefusedEverywhere: boolean
}

export type SearchDecision<Host> =
  | { readonly kind: 'found'; readonly host: Host }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'failed'; readonly code: SearchFailure }

/** The text that the player reads, by the failure of the search. */
export const SEARCH_FAILURE_TEXTS = {
  'several-hosts': 'Two players host with this room code, and neither answers.',
  'host-changed': HOST_CHANGED,
  'wrong-room': 'The room exists, but its second half is another one.',
  'no-relay-reachable': 'No shared node can be reached.',
  'host-not-found': 'Nobody hosts this room.',
} as const satisfies Partial<Record<FailureCode, string>>

export type SearchFailure = keyof typeof SEARCH_FAILURE_TEXTS

/** How long a guest waits for a shared node, or a host on the LAN. */
const NODE_MS = 8000
/** Members on other nodes of a cluster appear up to 10 s late. */
const HOST_MS = 15_000
/** Where every shared node refuses the secret only a host on the LAN can still appear. */
const REFUSED_MS = 4000
/** The longest wait between two decisions. */
const LOOK_MS = 500

/** Whether a guest has found its host, waits or gives up. */
export function decide<Host>(search: Search<Host>): SearchDecision<Host> {
  const { hosts, proved, needsProof } = search
  const [first, second] = hosts
  const isOnly = first !== undefined && second === undefined
  const host = proved[0] ?? (isOnly && !needsProof ? first : undefined)
  if (host !== undefined) return { kind: 'found', host }
  const left = timeLeft(search)
  return left > 0 ? { kind: 'wait', ms: Math.min(left + 1, LOOK_MS) } : lastDecision(search)
}

/** A host that has not answered yet may take direct connections only: where it can be no other one, it is waited for later. */
function lastDecision<Host>(search: Search<Host>): SearchDecision<Host> {
  const silent = search.hosts.filter((host) => !search.others.includes(host))
  const [host, second] = silent
  if (host !== undefined && second === undefined) return { kind: 'found', host }
  if (search.needsProof && search.others.length > 0) return { kind: 'failed', code: 'host-changed' }
  return { kind: 'failed', code: search.hosts.length > 1 ? 'several-hosts' : failureOf(search) }
}

function timeLeft({ elapsedMs, connectedMs, isRefusedEverywhere }: Search<unknown>): number {
  if (connectedMs === undefined) return NODE_MS - elapsedMs
  return (isRefusedEverywhere ? REFUSED_MS : HOST_MS) - connectedMs
}

function failureOf({ wasRefused, connectedMs, hasNodes }: Search<unknown>): SearchFailure {
  if (wasRefused) return 'wrong-room'
  return connectedMs === undefined && hasNodes ? 'no-relay-reachable' : 'host-not-found'
}

/** The signs of life of the host that was found. */
export type HostSigns = {
  /** Since its last one. */
  readonly silenceMs: number
  /** Since no route has led to it. */
  readonly unreachableMs: number | undefined
  /** Since it was probed. */
  readonly probedMs: number
  /** Since a route has led to it, where one does. */
  readonly hasAnsweredProbe: boolean
}

/** After this much silence the host is probed, */
const QUIET_MS = 4000
/** this often, */
const PROBE_MS = 1000
/** and when a route to it was found, until it has answered once: the answer shows that the host knows this member, too. */
const FIRST_PROBE_MS = 250
/** After this much silence the host is lost. */
export const LOST_MS = 6000
/** Where no route to the host is left it is lost sooner. */
const UNREACHABLE_MS = 1500
const CHECK_MS = 500

/** @returns also when to check again */
export function checkSigns(signs: HostSigns) {
  const { silenceMs, unreachableMs = 0, probedMs, hasAnsweredProbe } = signs
  return {
    isLost: silenceMs >= LOST_MS || unreachableMs >= UNREACHABLE_MS,
    isProbeDue: !hasAnsweredProbe || (silenceMs >= QUIET_MS && probedMs >= PROBE_MS),
    againMs: hasAnsweredProbe ? CHECK_MS : FIRST_PROBE_MS,
  }
}

/**
 * What tells a guest who its host is. `unknown`: nothing yet. `keyed`: a key, from an invitation, an earlier join or the first
 * answer. `keyless`: the first host that answered has none, so that only that member is the host.
 */
export type HostIdentity = 'unknown' | 'keyed' | 'keyless'

/** The host that was found, as a guest knows it now. */
export type HostState = {
  readonly identity: HostIdentity
  /** Whether the host has answered since it is taken for the host. */
  readonly hasAnswered: boolean
  readonly isReachable: boolean
  readonly isLost: boolean
}

/** Whether another member may take the host's place. A host that was killed stays visible for a while after it has returned. */
export function isReplaceable({ identity, hasAnswered, isReachable, isLost }: HostState): boolean {
  return !isReachable || isLost || (!hasAnswered && identity !== 'keyless')
}

/**
 * Which of the other members that call themselves the host are asked whether they are it, and which one is taken for it without an
 * answer: the next run of a host without a key, or the only one left when a host has gone that never answered.
 * @param mayBeNextRun whether a member has the name and address of the host, and was not there while the host was
 */
export function considerOthers<Host>(
  host: HostState,
  others: readonly Host[],
  mayBeNextRun: (other: Host) => boolean,
): { readonly asked: readonly Host[]; readonly next: Host | undefined } {
  const candidates = isReplaceable(host) ? others : []
  if (host.identity === 'keyless') return { asked: [], next: candidates.find(mayBeNextRun) }
  const hasGone = host.identity === 'unknown' && (!host.isReachable || host.isLost)
  return { asked: candidates, next: hasGone && others.length === 1 ? others[0] : undefined }
}

/** A silent member may still be searching for a path; it delays none of the others. */
const SILENT_AGAIN_MS = 250
/** Another member may have answered in the host's name. */
const OTHER_AGAIN_MS = 2000

/**
 * After how long a member that has not proved that it is the host is asked again.
 * @param askedMs for how long it has been asked
 */
export function askAgainMs(hasAnswered: boolean, askedMs: number): number {
  return moreSeldom(hasAnswered ? OTHER_AGAIN_MS : SILENT_AGAIN_MS, askedMs)
}

/** A search takes 15 s by itself. */
const SEARCH_AGAIN_MS = 2000
/** How long another member may take to come in the place of one that does not answer: as long as a search for the host. */
const OTHER_MS = 15_000
/**
 * How long a lost host may take to come back: to a guest that leaves then, and to one whose player has ordered it to wait.
 * @see docs/decisions.md, D196
 */
const RETURN_MS = { leaves: 60_000, waits: 12 * 3_600_000 }
const RETRY_MS = 1000
/** How long nothing of a host that is there may be readable: a relay can pretend that for a moment, by packets in its name. */
const UNREADABLE_MS = 30_000
/** A shorter loss is not explained to the player. */
const EXPLAINED_MS = 4000
/** A guest looks for its host as often as at first for so long, and is with it again within seconds. */
const OFTEN_MS = 600_000
/** Then it looks more and more seldom, up to once in so long. */
const SELDOM_MS = 60_000
/** How long a lost host that was found by the code, too, may take to come back in the present network, where streams go on. */
export const STAY_MS = 10_000

/**
 * After how long a guest searches again that has not found its host.
 * @param waits whether it waits for the room to be opened; else it joins now or not at all
 * @returns undefined when the failure is final
 */
export function searchAgainMs(waits: boolean, error: unknown): number | undefined {
  const mayCome = hasCode(error, ['host-not-found']) || isOtherHost(error)
  return waits && mayCome ? SEARCH_AGAIN_MS : undefined
}

/** After how long a guest that was in the room searches again for its host by the code. @param searchedMs since it began */
export function searchLostAgainMs(searchedMs: number): number {
  return moreSeldom(SEARCH_AGAIN_MS, searchedMs)
}

/**
 * After how long a guest speaks again with its host, which has not answered for the first time.
 * @param host `isReplaced`: another member is taken for it since. `isAwaited`: nothing tells yet who it is, and others are asked, too
 * @returns undefined when the failure is final
 */
export function reachAgainMs(
  host: {
    readonly isReplaced: boolean
    readonly isAwaited: boolean
    readonly waits: boolean
    readonly elapsedMs: number
  },
  error: unknown,
): number | undefined {
  const waits = host.waits && !isOtherEncryption(error)
  const mayBeAnother = host.isReplaced || (host.isAwaited && (waits || host.elapsedMs < OTHER_MS))
  return mayBeAnother && hasCode(error, NO_HOST_CODES) ? SEARCH_AGAIN_MS : undefined
}

/** A guest whose host is lost. */
export type Loss = {
  /** Since it was lost. */
  readonly lostMs: number
  /** Since the network has lost or found it, whichever came last: a host that was found again is tried often. */
  readonly unchangedMs: number
  /** Whether the player has ordered to wait. */
  readonly waits: boolean
}

/** After how long a player tries again to return to a lost host. @returns undefined when it gives up */
export function returnAgainMs({ lostMs, unchangedMs, waits }: Loss): number | undefined {
  const isOver = lostMs >= (waits ? RETURN_MS.waits : RETURN_MS.leaves)
  return isOver ? undefined : moreSeldom(RETRY_MS, unchangedMs)
}

/**
 * Whether a guest gives up since its host is there, but encrypts otherwise, which no waiting changes.
 * @param unreadableMs for how long it is there so; undefined = it is not
 */
export function isUnreadable(unreadableMs: number | undefined): boolean {
  return unreadableMs !== undefined && unreadableMs >= UNREADABLE_MS
}

/** Whether the player is told that the host is away, and waited for. */
export function isLongLoss({ lostMs, waits }: Pick<Loss, 'lostMs' | 'waits'>): boolean {
  return waits && lostMs >= EXPLAINED_MS
}

/** The pause before the next attempt, where attempts have been in vain for so long. */
function moreSeldom(pauseMs: number, vainMs: number): number {
  if (vainMs < OFTEN_MS) return pauseMs
  return Math.max(pauseMs, Math.min(SELDOM_MS, vainMs / 60))
}

const FINAL_CODES: readonly FailureCode[] = [
  'fingerprint-mismatch',
  'invalid-response',
  'own-room',
  'room-full',
  'refused',
  'removed',
]

/** A member that hosts no such room, or does not speak as its host does. What a host refuses is not among them. */
const NO_HOST_CODES: readonly FailureCode[] = [
  'host-unreachable',
  'connection-lost',
  'not-encrypted',
  'fingerprint-mismatch',
  'invalid-response',
]

/**
 * Whether a player leaves the room at once. What another member answers in the host's place is no reason to: the host may come
 * back.
 */
export function isFinal(error: unknown): boolean {
  return hasCode(error, FINAL_CODES)
}

/** Whether another host has answered than the one that is known. */
export function isOtherHost(error: unknown): boolean {
  return hasCode(error, ['host-changed'])
}

function isOtherEncryption(error: unknown): boolean {
  return error instanceof RoomFailure && error.hintCode === 'other-encryption'
}

function hasCode(error: unknown, codes: readonly FailureCode[]): boolean {
  return error instanceof RoomFailure && codes.includes(error.code)
}
