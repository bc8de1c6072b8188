import { planExport, readExport, runWorks } from '@lantern-room/takeout/work'
import { EXIT_FAILED, EXIT_OK } from '../../commandLine/failure'
import { checkReport, withReport } from '../batch/batchReport'
import type { MotionPhotoDependencies } from '../compose'
import { about, endsAll, failureOf } from '../failure'
import { localZone } from '../makeMotionPhoto'
import type { TakeoutCommand } from '../options/takeoutCommand'
import { type OpenExport, openExport } from './openExport'
import { createResults } from './results'
import { createTakeoutReport } from './takeoutReport'

/**
 * Puts the photos and videos of an export into a folder, each once and whole. A file that is refused does not end the others.
 * @returns the exit code: 0 when none was refused
 * @throws ServiceError about this machine; the signal's reason
 */
export async function runTakeout(
  command: TakeoutCommand,
  dependencies: MotionPhotoDependencies,
  signal: AbortSignal,
): Promise<number> {
  const { files } = dependencies
  const { out, report: reportPath, isDry, inputs } = command
  await about(out, () => files.checkFolder(out))
  if (reportPath !== undefined) await checkReport(reportPath, files)
  if (!isDry) await about(out, () => files.makeFolder(out))
  const spool = dependencies.openSpool(isDry ? undefined : out)
  const report = createTakeoutReport(isDry)
  try {
    const opened = await openExport(inputs, { files, signal, spool: spool.path, out })
    try {
      await withReport(reportPath, report.lines, files, () =>
        doExport(opened, command, dependencies, { report, signal }),
      )
    } finally {
      await opened.close()
    }
  } finally {
    await spool.remove()
    process.stderr.write(report.table())
  }
  return report.hasRefused() ? EXIT_FAILED : EXIT_OK
}

type Telling = { readonly report: ReturnType<typeof createTakeoutReport>; readonly signal: AbortSignal }

async function doExport(
  opened: OpenExport,
  { editions, isDry, out, albums, profile }: TakeoutCommand,
  { files, version }: MotionPhotoDependencies,
  { report, signal }: Telling,
): Promise<void> {
  const telling = {
    tell: report.add,
    signal,
    sentenceOf: (error: unknown) => failureOf(error).sentence,
  }
  const found = await readExport(opened, telling)
  const works = await planExport(found, editions, Date.now())
  const doing = {
    results: createResults({ files, out, isDry, signal }),
    signal,
    albums,
    profile,
    words: found.words,
    software: `Lantern Room ${version}`,
    localZone,
  }
  await runWorks(works, { ...telling, doing, endsAll })
}
