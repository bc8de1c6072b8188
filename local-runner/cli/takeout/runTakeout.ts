import { basename } from 'node:path/posix'
import { ServiceError } from '@lantern-room/base'
import { isAccountFile, partsOf } from '@lantern-room/takeout'
import { EXIT_FAILED, EXIT_OK } from '../../commandLine/failure'
import { checkReport, withReport } from '../batch/batchReport'
import type { MotionPhotoDependencies } from '../compose'
import { about, endsAll, failureOf } from '../failure'
import { localZone } from '../makeMotionPhoto'
import type { TakeoutCommand } from '../options/takeoutCommand'
import { type Doing, doWork, type Outcome } from './doWork'
import { type ExportEntry, withEntry } from './exportEntry'
import { type Item, itemsOf, type Surveyed } from './items'
import { type OpenExport, openExport } from './openExport'
import { createNames } from './placeWork'
import { planTakeout, type Work } from './planTakeout'
import { readExportWords } from './readWords'
import { surveyEntry } from './surveyEntry'
import { createTakeoutReport, type Kind, type Line } from './takeoutReport'

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
  command: TakeoutCommand,
  dependencies: MotionPhotoDependencies,
  { report, signal }: Telling,
): Promise<void> {
  for (const { path, reason, isLeft } of opened.problems)
    report.add({ input: path, kind: 'others', status: isLeft ? 'left' : 'refused', reason })
  const { texts, media, others } = sorted(opened.entries)
  for (const { path } of others)
    report.add({ input: path, kind: 'others', status: 'left', reason: 'no photo or video' })
  const surveyed = await surveyAll(media, { report, signal })
  const words = await readExportWords(
    texts,
    surveyed.map(({ entry }) => entry),
    signal,
  )
  for (const [{ path }, outcome] of words.outcomes) report.add({ input: path, kind: 'side-cars', ...outcome })
  const items = await itemsOf(surveyed, signal)
  const works = await planTakeout(items, words, { editions: command.editions, now: Date.now() })
  const doing: Doing = {
    files: dependencies.files,
    names: createNames(),
    madeFolders: new Set<string>(),
    isDry: command.isDry,
    signal,
    out: command.out,
    albums: command.albums,
    profile: command.profile,
    words,
    software: `Lantern Room ${dependencies.version}`,
    localZone,
  }
  await doAll(works, doing, report)
}

type Sorted = Readonly<Record<'texts' | 'media' | 'others', readonly ExportEntry[]>>

/** By their names. What has no ending is looked into. */
function sorted(entries: readonly ExportEntry[]): Sorted {
  const texts: ExportEntry[] = []
  const media: ExportEntry[] = []
  const others: ExportEntry[] = []
  for (const entry of entries) {
    const { kind } = partsOf(basename(entry.plain))
    if (isAccountFile(entry.plain)) others.push(entry)
    else if (/\.(?:json|csv)$/i.test(entry.plain)) texts.push(entry)
    else (kind === 'other' ? others : media).push(entry)
  }
  return { texts, media, others }
}

/** Files that are looked into at a time. */
const AT_A_TIME = 4

async function surveyAll(media: readonly ExportEntry[], telling: Telling): Promise<readonly Surveyed[]> {
  const surveyed: Surveyed[] = []
  let next = 0
  const work = async () => {
    for (let at = next++; at < media.length; at = next++) {
      const entry = media[at]
      const found = entry && (await surveyOne(entry, telling))
      if (found) surveyed.push(found)
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, work))
  return surveyed
}

async function surveyOne(entry: ExportEntry, { report, signal }: Telling): Promise<Surveyed | undefined> {
  signal.throwIfAborted()
  const { path: input } = entry
  const { kind: name } = partsOf(basename(entry.plain))
  const kind = name === 'picture' ? 'photos' : 'videos'
  const refuse = (reason: string) => report.add({ input, kind, status: 'refused', reason })
  if (entry.size === 0) return void refuse('It is empty.')
  try {
    const survey = await withEntry(entry, 'parts', (source) => surveyEntry(entry.plain, source, signal))
    if (survey.kind !== 'other') return { entry, survey }
    report.add({ input, kind: 'others', status: 'left', reason: 'no photo or video' })
  } catch (error) {
    signal.throwIfAborted()
    refuse(sentenceOf(error))
  }
  return undefined
}

function sentenceOf(error: unknown): string {
  return error instanceof ServiceError ? error.detail : failureOf(error).sentence
}

/**
 * Does all works, a few at a time, and reports them in their order. When this machine is full, those that have not begun are refused
 * without trying.
 */
async function doAll(works: readonly Work[], doing: Doing, report: Telling['report']): Promise<void> {
  const running: { readonly work: Work; readonly done: ReturnType<typeof linesOfWork> }[] = []
  let ended: { readonly error: unknown } | undefined
  try {
    for (const work of works) {
      doing.signal.throwIfAborted()
      running.push({ work, done: ended ? Promise.resolve(ended) : linesOfWork(work, doing) })
      if (running.length >= AT_A_TIME) await finishFirst()
    }
    while (running.length > 0) await finishFirst()
  } finally {
    await Promise.allSettled(running.map(({ done }) => done))
  }
  if (ended) throw ended.error

  async function finishFirst(): Promise<void> {
    const first = running[0]
    const lines = await first?.done
    running.shift()
    if (!first || !lines) return
    if (!Array.isArray(lines)) ended = lines
    for (const line of Array.isArray(lines) ? lines : refusalOf(first.work, lines.error)) report.add(line)
  }
}

/** @returns an error that ends all works */
async function linesOfWork(work: Work, doing: Doing): Promise<Line[] | { readonly error: unknown }> {
  try {
    return (await doWork(work, doing)).flatMap(linesOf)
  } catch (error) {
    doing.signal.throwIfAborted()
    return endsAll(error) ? { error } : refusalOf(work, error)
  }
}

function refusalOf({ item, clip, inside }: Work, error: unknown): Line[] {
  const reason = sentenceOf(error)
  return [item, clip, inside].flatMap((one) =>
    (one?.entries ?? []).map(({ path: input }) => ({
      input,
      kind: kindOf(one),
      status: 'refused' as const,
      reason,
    })),
  )
}

function kindOf(item: Item | undefined): Kind {
  return item?.survey.kind === 'photo' ? 'photos' : 'videos'
}

/** The file that was read, and its copies. */
function linesOf({ item, status, output, reason }: Outcome): readonly Line[] {
  const [first, ...copies] = item.entries
  const kind = kindOf(item)
  return [
    { input: first.path, kind, status, output, reason },
    ...copies.map(({ path: input }) => ({
      input,
      kind,
      status: status === 'left' ? ('left' as const) : ('duplicate' as const),
      output,
      reason: `the same as ${first.path}`,
    })),
  ]
}
