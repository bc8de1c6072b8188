import { createFakeClock } from '#support/network/fakeClock'
import { play } from './play'
import type { Scenario } from './scenario'
import { createSimulationContext, type PlantedFault } from './simulationContext'
import { createTrace } from './trace'

export type Outcome = {
  readonly violations: readonly string[]
  /** Of all that happened, in order. */
  readonly hash: string
  readonly simulatedMs: number
  /** Timers that were run. */
  readonly steps: number
  readonly wholeTalks: number
  readonly brokenTalks: number
  /** How long after the last fault everybody was together again. */
  readonly recoveredAfterMs: number
  /** How guests reached the host at the end. */
  readonly paths: readonly ('direct' | 'relay' | undefined)[]
  /** The last things that happened, for people. */
  readonly lines: readonly string[]
}

/** Runs a scenario in simulated time, and looks whether anything happens that must not. */
export async function simulate(scenario: Scenario, plant?: PlantedFault): Promise<Outcome> {
  const clock = createFakeClock(Date.UTC(2026, 0, 1), { granularityMs: 1, settlesPerInstant: true })
  const trace = createTrace(clock.now)
  const onRejection = (error: unknown) => trace.violate(`nobody handles: ${String(error)}`)
  process.on('unhandledRejection', onRejection)
  let end: Awaited<ReturnType<typeof play>> = {
    wholeTalks: 0,
    brokenTalks: 0,
    recoveredAfterMs: 0,
    paths: [],
  }
  try {
    end = await play(createSimulationContext(scenario, clock, trace, plant))
  } catch (error) {
    trace.violate(`thrown: ${originOf(error)}`)
  } finally {
    // A rejection is told a turn after it has happened.
    await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', onRejection)
  }
  const { violations, hash, lines } = trace
  return { ...end, violations, hash, lines, simulatedMs: clock.now(), steps: clock.steps }
}

/** The message and where it comes from; what lies further up is not the same each time. */
function originOf(error: unknown): string {
  const stack = error instanceof Error ? error.stack : undefined
  return stack?.split('\n').slice(0, 3).join('\n') ?? String(error)
}
