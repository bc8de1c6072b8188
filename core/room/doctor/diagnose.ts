import { within } from '@lantern-room/base/async'
import { CHECKS } from './checks'
import { type Diagnosis, type DoctorDependencies, type Finding, finding, type Way } from './diagnosis'
import { LIMIT_MS } from './networkChecks'

/** A little more than each check's own limit. */
const LATE_MS = LIMIT_MS + 500

/**
 * Checks everything that rooms need, in the time of the slowest check: at most 3.5 s. Never rejects.
 * @example const { canMeet, findings } = await diagnose(checks)
 */
export async function diagnose(dependencies: DoctorDependencies): Promise<Diagnosis> {
  const ways = new Set<Way>()
  const groups = await Promise.all(
    Object.entries(CHECKS).map(([name, check]) =>
      within(
        dependencies.clock,
        LATE_MS,
        run(name, async () => check(dependencies, ways)),
        () => LATE,
      ).catch(() => [failed(name, `no answer in ${LIMIT_MS / 1000} s`)]),
    ),
  )
  const findings = groups.flat()
  const isUsable = !findings.some(({ check, state }) => check === 'data-folder' && state === 'failed')
  return { canMeet: isUsable && ways.size > 0, ways: [...ways], findings }
}

const LATE = new Error('the check is late')

/** A check that throws is a finding, too. What it threw is this machine's own text and is not told. */
async function run(name: string, check: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await check()
  } catch {
    return [failed(name, 'it could not be run')]
  }
}

function failed(check: string, problem: string): Finding {
  return { ...finding('check-failed', check, { problem }), check }
}
