import { rpcMethods } from '../../wire/messages'
import { decodeRouteSync, encodeRouteSync } from '../../wire/routeSync'
import { newsFor, type RouteNews, type Versioned } from './routeNews'
import type { RouteTable } from './routeTable'
import { createToldShares } from './toldShares'

export type RouteSessionsOptions = {
  readonly table: RouteTable
  /**
   * @param silences how many calls in a row had no answer before this one
   * @param done gets the answer, or undefined when there was none
   */
  readonly call: (
    peerId: number,
    request: Uint8Array,
    silences: number,
    done: (answer: Uint8Array | undefined) => void,
  ) => void
  /** A random u64 as decimal text. */
  readonly randomId: () => string
  readonly now: () => number
  /** By its handshake, not by its own word. */
  readonly isSharedNode?: (peerId: number) => boolean
  /** A member tells of too many others. */
  readonly onOverShare?: (peerId: number) => void
  /** Ignores what one neighbour reports of another, so that no peer can impersonate a neighbour. */
  readonly neighboursSpeakForThemselves?: boolean
}

/** Initiators call also with nothing new, to learn whether the neighbour still knows us, unless it has called itself. */
const EMPTY_EVERY_MS = 30_000
const AFTER_REFUSAL_MS = 1000
/** After a call without an answer; twice as long after each one more, up to the longest. */
const AFTER_SILENCE_MS = 250
const LONGEST_PAUSE_MS = 2000
const STOPPED = 1
const NOTHING = [undefined, undefined] as const

type Session = {
  readonly peerId: number
  readonly mine: string
  theirs: string | undefined
  /** Versions that the neighbour has, of peers that can be reached. */
  readonly records: Map<number, number>
  readonly rows: Map<number, number>
  isCalling: boolean
  /** Whether there is more to send when the call has ended. */
  isAgain: boolean
  lastAt: number
  notBefore: number
  /** Calls in a row without an answer. */
  silences: number
  /** The table's lists from when it lacked nothing. */
  knows: readonly [records: unknown, rows: unknown]
}

type Known = { readonly records: readonly Versioned[]; readonly rows: readonly Versioned[] }

const { syncRouteInfo } = rpcMethods

/** Keeps the route tables of neighbours in sync with ours, by calls in both directions. */
export class RouteSessions {
  readonly #options: RouteSessionsOptions
  readonly #sessions = new Map<number, Session>()
  readonly #told: ReturnType<typeof createToldShares>

  constructor(options: RouteSessionsOptions) {
    const { table, isSharedNode = () => false, onOverShare = () => {} } = options
    this.#options = options
    this.#told = createToldShares({ isSharedNode, isKnown: (peerId) => table.isKnown(peerId), onOverShare })
  }

  /** A connection to a neighbour that had none. */
  add(peerId: number): void {
    if (this.#sessions.has(peerId)) return
    this.#sessions.set(peerId, newSession(peerId, this.#options.randomId()))
  }

  remove(peerId: number): void {
    this.#sessions.delete(peerId)
    this.#options.table.forgetUnreachable(this.#told.release(peerId))
  }

  /** @returns the answer to a neighbour's call, and whether the table has changed by it; undefined when the request is damaged */
  answer(
    from: number,
    request: Uint8Array,
    at: number,
  ): { readonly response: Uint8Array; readonly isNews: boolean } | undefined {
    const { table } = this.#options
    const sync = decodeRouteSync(request)
    if (!sync) return undefined
    const session = this.#sessions.get(from)
    if (!session || sync.from !== from) {
      return { response: syncRouteInfo.response.encode({ error: STOPPED }), isNews: false }
    }
    noteSession(session, sync.sessionId)
    session.lastAt = Math.max(session.lastAt, at)
    this.#told.forgetGone()
    const isAccepted = ({ peerId }: Versioned) => this.#isAccepted(peerId, from)
    const isNews = table.merge(sync.records.filter(isAccepted), sync.rows.filter(isAccepted), at)
    noteKnown(table, session, sync)
    const response = syncRouteInfo.response.encode({ isInitiator: true, sessionId: session.mine })
    return { response, isNews }
  }

  /** Sends neighbours what they lack; to be called after every change, and twice a second. */
  sync(at: number): void {
    for (const session of this.#sessions.values()) this.#syncWith(session, at)
  }

  /** Whether a neighbour's report of this peer is taken. */
  #isAccepted(peerId: number, from: number): boolean {
    const { neighboursSpeakForThemselves = false } = this.#options
    const maySpeak = !neighboursSpeakForThemselves || peerId === from || !this.#sessions.has(peerId)
    return maySpeak && this.#told.take(peerId, from)
  }

  #syncWith(session: Session, at: number): void {
    const { table, call } = this.#options
    if (session.isCalling) {
      session.isAgain = true
      return
    }
    if (at < session.notBefore) return
    const isEmptyDue = at - session.lastAt >= EMPTY_EVERY_MS
    const known = [table.reachableRecords(), table.reachableRows()] as const
    const isSame = known[0] === session.knows[0] && known[1] === session.knows[1]
    if (isSame && !isEmptyDue) return
    forgetUnreachable(table, session)
    const news = newsFor(session, known[0], known[1])
    const isEmpty = news.records.length === 0 && news.rows.length === 0
    if (isEmpty) session.knows = known
    if (isEmpty && !isEmptyDue) return
    session.isCalling = true
    session.isAgain = news.hasMore
    session.lastAt = at
    const request = encodeRouteSync({
      from: table.ownId,
      sessionId: session.mine,
      isInitiator: true,
      rows: news.rows,
      records: news.records.map(({ raw }) => raw),
    })
    call(session.peerId, request, session.silences, (answer) => this.#finish(session, news, answer))
  }

  #finish(session: Session, news: RouteNews, answer: Uint8Array | undefined): void {
    const { table, now } = this.#options
    session.isCalling = false
    const response = answer && syncRouteInfo.response.decode(answer)
    if (!response || response.error !== undefined) {
      postpone(session, now(), answer === undefined)
      return
    }
    session.silences = 0
    const hasRestarted = noteSession(session, response.sessionId)
    if (!hasRestarted) noteKnown(table, session, news)
    if (hasRestarted || session.isAgain) this.#syncWith(session, now())
  }
}

function newSession(peerId: number, mine: string): Session {
  return {
    peerId,
    mine,
    theirs: undefined,
    records: new Map(),
    rows: new Map(),
    isCalling: false,
    isAgain: false,
    lastAt: Number.NEGATIVE_INFINITY,
    notBefore: 0,
    silences: 0,
    knows: NOTHING,
  }
}

/** @returns whether the neighbour has begun a new session, and so lost what it knew */
function noteSession(session: Session, theirs: string): boolean {
  const isNew = session.theirs !== undefined && session.theirs !== theirs
  session.theirs = theirs
  if (isNew) {
    session.knows = NOTHING
    session.records.clear()
    session.rows.clear()
  }
  return isNew
}

function noteKnown(table: RouteTable, session: Session, { records, rows }: Known): void {
  for (const record of records) if (table.isReachable(record.peerId)) raise(session.records, record)
  for (const row of rows) if (table.isReachable(row.peerId)) raise(session.rows, row)
}

/** The neighbour forgets peers that are out of reach, sooner or later: they are told anew when they are back. */
function forgetUnreachable(table: RouteTable, { records, rows }: Session): void {
  for (const versions of [records, rows])
    for (const peerId of versions.keys()) if (!table.isReachable(peerId)) versions.delete(peerId)
}

/** After a refusal, or a call without an answer. */
function postpone(session: Session, at: number, isSilence: boolean): void {
  const pause = Math.min(LONGEST_PAUSE_MS, AFTER_SILENCE_MS * 2 ** session.silences)
  session.notBefore = at + (isSilence ? pause : AFTER_REFUSAL_MS)
  session.silences = isSilence ? session.silences + 1 : 0
}

function raise(known: Map<number, number>, { peerId, version }: Versioned): void {
  known.set(peerId, Math.max(known.get(peerId) ?? 0, version))
}
