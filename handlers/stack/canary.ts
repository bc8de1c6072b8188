import type { Trial } from './versions'

const CHECK_MS = 30_000

/** What a trial needs of the outside. */
export type Watch = {
  /** Names of the stack's alarms that ring now. */
  readonly alarms: () => Promise<readonly string[]>
  readonly sleep: (ms: number) => Promise<unknown>
}

/**
 * The trial of a deployment.
 * @param canary `PERCENT:MINUTES`, as the parameter is checked; off = none
 * @example canaryOf('10:15', { alarms, sleep })?.share // 0.1
 */
export function canaryOf(canary: string, watch: Watch): Trial | undefined {
  const [, percent, minutes] = /^(\d+):(\d+)$/.exec(canary) ?? []
  if (percent === undefined) return undefined
  return { share: Number(percent) / 100, passes: () => pass(Number(minutes) * 60_000, watch) }
}

/** @throws Error in one sentence when an alarm begins to ring that did not before */
async function pass(ms: number, { alarms, sleep }: Watch): Promise<void> {
  const before = new Set(await alarms())
  for (let passed = 0; passed < ms; passed += CHECK_MS) {
    await sleep(CHECK_MS)
    const rings = (await alarms()).find((name) => !before.has(name))
    if (rings !== undefined)
      throw new Error(
        `The alarm ${rings} rings: what was live before is live again for all calls. See the logs, and deploy anew.`,
      )
  }
}
