import type { Stage, status as words } from '@lantern-room/room/client'

/** The bar of steps from a press on the button to the open room. */

const STEPS = {
  host: ['scanning', 'opening', 'ready'],
  guest: ['connecting', 'finding', 'forward', 'inside'],
} as const

type StepName = (typeof STEPS)[keyof typeof STEPS][number]

/** What the page says of each stage of `/room/status`, and the step to which it belongs. */
export const STAGES = {
  Idle: ['sentenceIdle'],
  Stopping: ['sentenceStopping'],
  Host_Prepare: ['sentenceScanning', 'scanning'],
  Host_GameDetecting: ['sentenceScanning', 'scanning'],
  Host_ScaffoldingStarting: ['sentenceOpening', 'opening'],
  Host_NetworkStarting: ['sentenceOpening', 'opening'],
  Host_Running: ['sentenceHosting', 'ready'],
  Guest_Prepare: ['sentenceConnecting', 'connecting'],
  Guest_NetworkStarting: ['sentenceConnecting', 'connecting'],
  Guest_DiscoveringCenter: ['sentenceFinding', 'finding'],
  Guest_ConnectingScaffolding: ['sentenceForward', 'forward'],
  Guest_AwaitingApproval: ['sentenceAwaitingApproval', 'forward'],
  Guest_Reconnecting: ['sentenceReconnecting', 'forward'],
  Guest_Running: ['sentenceInside', 'inside'],
} as const satisfies Readonly<
  Record<Exclude<Stage, 'Error'>, readonly [sentence: keyof typeof words, step?: StepName]>
>

/** Whether this page knows the stage: the service may be newer. */
export function isKnown(stage: string): stage is keyof typeof STAGES {
  return Object.hasOwn(STAGES, stage)
}

/** What failed, where that is another step than the one in which it showed. */
const FAILED_STEP: Readonly<Record<string, StepName>> = {
  'guest no-relay-reachable': 'connecting',
  'guest no-internet': 'connecting',
  'guest wifi-login': 'connecting',
  'guest network-failed': 'connecting',
  'host game-gone': 'scanning',
}

/** An attempt to open or join a room, as far as the page has seen it. */
export type AttemptProgress = {
  readonly role: 'host' | 'guest'
  readonly at: number
  readonly hasFailed: boolean
  /** By step: when it began, in milliseconds; undefined where the page did not see that. */
  readonly beganAt: readonly (number | undefined)[]
}

type StepState = 'done' | 'current' | 'failed' | 'ahead'
export type Step = ReturnType<typeof stepsOf>[number]

/**
 * The progress after a new status.
 * @param now milliseconds of any clock that only runs forward
 */
export function nextProgress(
  before: AttemptProgress | undefined,
  status: { readonly state: string; readonly stage: string | null; readonly errorCode: string | null },
  now: number,
): AttemptProgress | undefined {
  const hasFailed = status.state === 'Error'
  const stage = hasFailed ? (status.stage ?? '') : status.state
  const role = stage.startsWith('Host') ? 'host' : 'guest'
  const name =
    (hasFailed ? FAILED_STEP[`${role} ${status.errorCode}`] : undefined) ??
    (isKnown(stage) ? STAGES[stage][1] : undefined)
  if (name === undefined) return undefined
  const at = (STEPS[role] as readonly StepName[]).indexOf(name)
  const isSame =
    before !== undefined && before.role === role && (hasFailed || (!before.hasFailed && at >= before.at))
  const known = isSame ? before.beganAt : []
  // Steps between two that were seen have taken no time; those before the first one seen are unknown.
  const first = isSame ? Math.min(before.at + 1, at) : at
  const beganAt = STEPS[role].map((_, step) => known[step] ?? (step >= first && step <= at ? now : undefined))
  return { role, at, hasFailed, beganAt }
}

/** @returns `tookMs`, how long each has taken so far; undefined if unknown, and for the last one, which has no end */
export function stepsOf({ role, at, hasFailed, beganAt }: AttemptProgress, now: number) {
  const last = STEPS[role].length - 1
  return STEPS[role].map((name, step) => {
    const began = beganAt[step]
    const ended = step < at ? beganAt[step + 1] : hasFailed ? undefined : now
    const isTimed = step <= at && step < last && began !== undefined && ended !== undefined
    return { name, state: stateOf(step, at, hasFailed, last), tookMs: isTimed ? ended - began : undefined }
  })
}

function stateOf(step: number, at: number, hasFailed: boolean, last: number): StepState {
  if (step > at) return 'ahead'
  if (step < at) return 'done'
  if (hasFailed) return 'failed'
  return step === last ? 'done' : 'current'
}
