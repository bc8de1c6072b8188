import type { UserFiles } from '../compose'
import { checkReport } from './batchReport'
import { createOutputPlan, inputsById, type OutputPlan } from './outputPlan'

/**
 * A plan of the outputs of a run, in which its report has its place.
 * @param inputs paths of all that is read
 * @throws ServiceError when the report would be written over something else
 */
export async function openPlan(
  inputs: readonly string[],
  report: string | undefined,
  files: UserFiles,
): Promise<OutputPlan> {
  const plan = createOutputPlan(files, await inputsById(inputs, files))
  if (report !== undefined) {
    await plan.claimReport(report)
    await checkReport(report, files)
  }
  return plan
}
