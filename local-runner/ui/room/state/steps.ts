/** The bar of steps from a press on the button to the open room. */

export type StepName = 'scanning' | 'opening' | 'ready' | 'connecting' | 'finding' | 'forward' | 'inside'

const STEPS = {
  host: ['scanning', 'opening', 'ready'],
  guest: ['connecting', 'finding', 'forward', 'inside'],
} as const satisfies Record<string, readonly StepName[]>

/** The step to which each stage of `/room/status` belongs. */
const STEP_OF: Readonly<Record<string, StepName>> = {
  Host_Prepare: 'scanning',
  Host_GameDetecting: 'scanning',
  Host_ScaffoldingStarting: 'opening',
  Host_NetworkStarting: 'opening',
  Host_Running: 'ready',
  Guest_Prepare: 'connecting',
  Guest_NetworkStarting: 'connecting',
  Guest_DiscoveringCenter: 'finding',
  Guest_ConnectingScaffolding: 'forward',
  Guest_AwaitingApproval: 'forward',
  Guest_Reconnecting: 'forward',
  Guest_Running: 'inside',
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

export type Step = {
  readonly name: StepName
  readonly state: 'done' | 'current' | 'failed' | 'ahead'
  /** The duration of the step so far; undefined if unknown, and for the last step, which has no end. */
  readonly tookMs: number | undefined
}

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
  const name = (hasFailed ? FAILED_STEP[`${role} ${status.errorCode}`] : undefined) ?? STEP_OF[stage]
  if (name === undefined) return undefined
  const at = (STEPS[role] as readonly StepName[]).indexOf(name)
  const isSame =
    before !== undefined && before.role === role && (hasFailed || (!before.hasFailed && at >= before.at))
  const known = isSame ? before.beganAt : []
  const beganAt = STEPS[role].map(
    (_, step) => known[step] ?? (isBeginning(step, at, isSame, before) ? now : undefined),
  )
  return { role, at, hasFailed, beganAt }
}

export function stepsOf({ role, at, hasFailed, beganAt }: AttemptProgress, now: number): readonly Step[] {
  const last = STEPS[role].length - 1
  return STEPS[role].map((name, step) => {
    const began = beganAt[step]
    const ended = step < at ? beganAt[step + 1] : hasFailed ? undefined : now
    const isTimed = step <= at && step < last && began !== undefined && ended !== undefined
    return { name, state: stateOf(step, at, hasFailed, last), tookMs: isTimed ? ended - began : undefined }
  })
}

/** Steps between two that were seen have taken no time; those before the first one seen are unknown. */
function isBeginning(
  step: number,
  at: number,
  isSame: boolean,
  before: AttemptProgress | undefined,
): boolean {
  if (step === at) return true
  return isSame && before !== undefined && step > before.at && step < at
}

function stateOf(step: number, at: number, hasFailed: boolean, last: number): Step['state'] {
  if (step > at) return 'ahead'
  if (step < at) return 'done'
  if (hasFailed) return 'failed'
  return step === last ? 'done' : 'current'
}
