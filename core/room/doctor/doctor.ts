import { createSingleFlight } from '#core/async/singleFlight'
import { diagnose } from './diagnose'
import type { Diagnosis, DoctorDependencies } from './diagnosis'
import { type DoctorRecord, toDoctorRecord } from './doctorRecord'

/**
 * The doctor of a running service. Calls at the same time share one run of the checks, which takes at most 3.5 s.
 * @param options.current what may differ from one run to the next
 * @param options.stopping no run begins after it
 */
export function createDoctor(options: {
  readonly checks: Omit<DoctorDependencies, 'ports' | 'nodes'>
  readonly current: () => Pick<DoctorDependencies, 'ports' | 'nodes'>
  readonly version: string
  readonly stopping: AbortSignal
}): () => Promise<DoctorRecord> {
  const runs = createSingleFlight<Diagnosis>()
  return async () => {
    const diagnosis = await runs.run('all', options.stopping, () =>
      diagnose({ ...options.checks, ...options.current() }),
    )
    return toDoctorRecord(diagnosis, options.version)
  }
}
