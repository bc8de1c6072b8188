import type { Clock } from '#core/clock'
import type { Log } from '#core/log'
import type { PunchKind } from './punchPlan'
import { CallRefused } from './rpcClient'

/** Decides when a path to a member is tried to be opened, and how: one attempt for each member and way at a time. */
export type PunchAttempts = {
  /** Takes up who is new, ends what is not wanted any more, tries again where a type has become known. */
  look(): void
  /** Ends and forgets everything: the network has changed. */
  again(): void
}

/** A member without a direct link, or without a good one, that should have one. */
export type Wanted = {
  readonly peerId: number
  readonly kinds: readonly PunchKind[]
  /** Of both sides; another text means that something has become known. */
  readonly types: string
  /** Another way will most likely stand at once. */
  readonly isUdpLikely: boolean
  /** There is a way already, and only a better one is looked for. */
  readonly isSpare: boolean
}

export type PunchAttemptsOptions = {
  readonly clock: Clock
  readonly log: Log
  readonly wanted: () => readonly Wanted[]
  /** Ends without an error only when nothing came of it, as well: success is a link, which aborts the signal. */
  readonly punch: (kind: PunchKind, peerId: number, failures: number, signal: AbortSignal) => Promise<void>
  /** Aborts when there is a link to the member which makes this way needless. */
  readonly signalFor: (peerId: number, kind: PunchKind) => AbortSignal
  readonly signal: AbortSignal
}

const FIRST_PAUSE_MS = 300
const LONGEST_PAUSE_MS = 30_000
/** Many sockets, thousands of datagrams: what has not worked six times is asked of the router more rarely. */
const LONGEST_HEAVY_PAUSE_MS = 120_000
/** After so many the longest pause is reached. */
const MANY_FAILURES = 10
/** Who serves somebody else is asked again within 1.2 s. */
const BUSY_FAILURES = 2
/** So often a better way is looked for. */
const SPARE_TRIES = 3
/** TCP stands back for so long where UDP will do: that is the better way, and saves two STUN servers. */
const TCP_LATER_MS = 1000

type Attempt = {
  readonly peerId: number
  readonly kind: PunchKind
  types: string
  isSpare: boolean
  failures: number
  /** Of the run that is under way. */
  controller: AbortController | undefined
  cancelPause: () => void
}

export function createPunchAttempts(options: PunchAttemptsOptions): PunchAttempts {
  const { clock, log, signal } = options
  const attempts = new Map<string, Attempt>()
  signal.addEventListener('abort', forgetAll, { once: true })

  return {
    look,
    again() {
      forgetAll()
      look()
    },
  }

  function look(): void {
    if (signal.aborted) return
    const wanted = new Map(
      options.wanted().flatMap((one) => one.kinds.map((kind) => [`${one.peerId} ${kind}`, { one, kind }])),
    )
    for (const [key, attempt] of attempts) if (!wanted.has(key)) forget(key, attempt)
    for (const [key, { one, kind }] of wanted) {
      const known = attempts.get(key)
      if (!known) {
        const attempt = newAttempt(one, kind)
        attempts.set(key, attempt)
        run(key, attempt, kind === 'tcp' && one.isUdpLikely ? TCP_LATER_MS : 0)
      } else if (known.types !== one.types) {
        known.types = one.types
        known.isSpare = one.isSpare
        known.failures = 0
        if (!known.controller) run(key, known, 0)
      }
    }
  }

  function run(key: string, attempt: Attempt, pauseMs: number): void {
    attempt.cancelPause()
    attempt.cancelPause = clock.after(pauseMs, () => void start(key, attempt))
  }

  async function start(key: string, attempt: Attempt): Promise<void> {
    const { peerId, kind, failures } = attempt
    const controller = new AbortController()
    attempt.controller = controller
    const linked = options.signalFor(peerId, kind)
    try {
      await options.punch(kind, peerId, failures, AbortSignal.any([signal, linked, controller.signal]))
    } catch (error) {
      if (error instanceof CallRefused && error.isFinal) attempt.failures = MANY_FAILURES
      if (error instanceof CallRefused && error.isBusy)
        attempt.failures = Math.min(attempt.failures, BUSY_FAILURES)
      if (!linked.aborted && !controller.signal.aborted)
        log.debug('no way was opened', { kind, member: peerId, cause: String(error) })
    }
    attempt.controller = undefined
    if (signal.aborted || attempts.get(key) !== attempt) return
    const longest = kind === 'cone' || kind === 'tcp' ? LONGEST_PAUSE_MS : LONGEST_HEAVY_PAUSE_MS
    const pause = Math.min(longest, FIRST_PAUSE_MS * 2 ** attempt.failures)
    attempt.failures = Math.min(MANY_FAILURES, attempt.failures + 1)
    if (!attempt.isSpare || attempt.failures < SPARE_TRIES) run(key, attempt, pause)
  }

  function forget(key: string, attempt: Attempt): void {
    attempts.delete(key)
    attempt.cancelPause()
    attempt.controller?.abort(new Error('it is not wanted any more'))
  }

  function forgetAll(): void {
    for (const [key, attempt] of attempts) forget(key, attempt)
  }
}

function newAttempt({ peerId, types, isSpare }: Wanted, kind: PunchKind): Attempt {
  return { peerId, kind, types, isSpare, failures: 0, controller: undefined, cancelPause: () => {} }
}
