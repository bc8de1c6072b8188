import { rpcMethods } from '../wire/messages'
import type { ReceivedRecord } from '../wire/peerRecord'
import { decodeRouteSync, encodeRouteSync, type Row } from '../wire/routeSync'
import type { RouteTable } from './routeTable'

/** Keeps every neighbour's table like ours, by calls both ways. */
export type RouteSessions = {
  /** A connection to a neighbour that had none. */
  add(peerId: number): void
  remove(peerId: number): void
  /** The answer to a neighbour's call; undefined when the request is damaged. */
  answer(from: number, request: Uint8Array, now: number): Uint8Array | undefined
  /** Sends what a neighbour lacks; called after every change, and once a second. */
  sync(now: number): void
}

export type RouteSessionsOptions = {
  readonly table: RouteTable
  /**
   * @param silences how many calls before had no answer
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
  /** The table has learned something. */
  readonly onNews: () => void
  readonly now: () => number
  /** Whether what one neighbour tells of another is passed over, so that nobody can take another's place by a lie. */
  readonly neighboursSpeakForThemselves?: boolean
}

/** As an initiator does, also with nothing to say, unless the other side has: that shows as well whether it knows us. */
const EMPTY_EVERY_MS = 30_000
const AFTER_REFUSAL_MS = 1000
/** After a call without an answer; twice as long after each one more, up to the longest. */
const AFTER_SILENCE_MS = 250
const LONGEST_PAUSE_MS = 2000
const STOPPED = 1
/** With a table of all rows beside them they stay within the 64 KiB of a call. */
const MAX_RECORDS_SIZE = 40_000
const RECORD_HEADER_SIZE = 4
const MAX_COLUMNS = 256
const NOTHING = [undefined, undefined] as const

type Session = {
  readonly peerId: number
  readonly mine: string
  theirs: string | undefined
  /** Versions that the neighbour has. */
  readonly records: Map<number, number>
  readonly rows: Map<number, number>
  isCalling: boolean
  isAgain: boolean
  lastAt: number
  notBefore: number
  /** Calls without an answer, one after the other. */
  silences: number
  /** The lists of the table of which it lacks nothing. */
  knows: readonly [records: unknown, rows: unknown]
}

export function createRouteSessions(options: RouteSessionsOptions): RouteSessions {
  const { table, call, onNews, now } = options
  const sessions = new Map<number, Session>()
  const { response } = rpcMethods.syncRouteInfo

  return {
    add(peerId) {
      if (sessions.has(peerId)) return
      sessions.set(peerId, {
        peerId,
        mine: options.randomId(),
        theirs: undefined,
        records: new Map(),
        rows: new Map(),
        isCalling: false,
        isAgain: false,
        lastAt: Number.NEGATIVE_INFINITY,
        notBefore: 0,
        silences: 0,
        knows: NOTHING,
      })
    },

    remove: (peerId) => void sessions.delete(peerId),

    answer(from, request, at) {
      const sync = decodeRouteSync(request)
      if (!sync) return undefined
      const session = sessions.get(from)
      if (!session || sync.from !== from) return response.encode({ error: STOPPED })
      meet(session, sync.sessionId)
      session.lastAt = Math.max(session.lastAt, at)
      for (const { peerId, version } of sync.records) raise(session.records, peerId, version)
      for (const { peerId, version } of sync.rows) raise(session.rows, peerId, version)
      const isHeard = ({ peerId }: { readonly peerId: number }) => peerId === from || !sessions.has(peerId)
      const speaksForAll = options.neighboursSpeakForThemselves !== true
      const records = speaksForAll ? sync.records : sync.records.filter(isHeard)
      const rows = speaksForAll ? sync.rows : sync.rows.filter(isHeard)
      if (table.merge(records, rows, at)) onNews()
      return response.encode({ isInitiator: true, sessionId: session.mine })
    },

    sync(at) {
      for (const session of sessions.values()) syncWith(session, at)
    },
  }

  function syncWith(session: Session, at: number): void {
    if (session.isCalling) {
      session.isAgain = true
      return
    }
    if (at < session.notBefore) return
    const known = [table.reachableRecords(), table.reachableRows()] as const
    const isSame = known[0] === session.knows[0] && known[1] === session.knows[1]
    if (isSame && at - session.lastAt < EMPTY_EVERY_MS) return
    // Never its own: a record with another route id than its own would make it stop.
    const missing = known[0].filter(
      ({ peerId, version }) => peerId !== session.peerId && lacks(session.records, peerId, version),
    )
    const records = firstRecords(missing)
    const allRows = rowsThatFit(known[1])
    const hasNewRow = allRows.some(
      ({ peerId, version }) => peerId !== session.peerId && lacks(session.rows, peerId, version),
    )
    if (records.length === 0 && !hasNewRow) session.knows = known
    if (records.length === 0 && !hasNewRow && at - session.lastAt < EMPTY_EVERY_MS) return
    session.isCalling = true
    session.isAgain = records.length < missing.length
    session.lastAt = at
    const rows = hasNewRow ? allRows : []
    const request = encodeRouteSync({
      from: table.ownId,
      sessionId: session.mine,
      isInitiator: true,
      rowsAs: 'bitmap',
      rows,
      records: records.map(({ raw }) => raw),
    })
    call(session.peerId, request, session.silences, (answer) => {
      session.isCalling = false
      const told = answer && response.decode(answer)
      if (!told || told.error !== undefined) {
        const pause = Math.min(LONGEST_PAUSE_MS, AFTER_SILENCE_MS * 2 ** session.silences)
        session.notBefore = now() + (answer ? AFTER_REFUSAL_MS : pause)
        session.silences = answer ? 0 : session.silences + 1
        return
      }
      session.silences = 0
      const isOther = meet(session, told.sessionId)
      if (!isOther) {
        for (const { peerId, version } of records) raise(session.records, peerId, version)
        for (const { peerId, version } of rows) raise(session.rows, peerId, version)
      }
      if (isOther || session.isAgain) syncWith(session, now())
    })
  }
}

/** As many as go into one call; the others go into the next. */
function firstRecords(records: readonly ReceivedRecord[]): readonly ReceivedRecord[] {
  let size = 0
  const end = records.findIndex(({ raw }) => {
    size += raw.length + RECORD_HEADER_SIZE
    return size > MAX_RECORDS_SIZE
  })
  return end < 0 ? records : records.slice(0, Math.max(1, end))
}

/** Nobody reads a table of more peers. Rows that would make it larger, which somebody who lies has told, are left out. */
function rowsThatFit(rows: readonly Row[]): readonly Row[] {
  const columns = new Set<number>()
  return rows.filter(({ peerId, connected }) => {
    const added = [peerId, ...connected].filter((id) => !columns.has(id))
    if (columns.size + new Set(added).size > MAX_COLUMNS) return false
    for (const id of added) columns.add(id)
    return true
  })
}

/** @returns whether the neighbour has begun anew, and lost what it knew */
function meet(session: Session, theirs: string): boolean {
  const isOther = session.theirs !== undefined && session.theirs !== theirs
  session.theirs = theirs
  if (isOther) {
    session.knows = NOTHING
    session.records.clear()
    session.rows.clear()
  }
  return isOther
}

function lacks(has: ReadonlyMap<number, number>, peerId: number, version: number): boolean {
  return (has.get(peerId) ?? 0) < version
}

function raise(has: Map<number, number>, peerId: number, version: number): void {
  has.set(peerId, Math.max(has.get(peerId) ?? 0, version))
}
