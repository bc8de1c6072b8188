import { ServiceError } from '@lantern-room/base'
import { parseJson } from '@lantern-room/base/bytes'
import { jsonLine, printable } from '../../commandLine/readArguments'
import type { UserFiles } from '../compose'
import { about, failureOf, reworded } from '../failure'
import type { PassedOver } from './findFiles'

/** What became of a file; spelled as the lines of `--report`. */
export type ReportLine = {
  /** Absolute, as are the others. */
  readonly input: string
  readonly photo?: string | undefined
  readonly status: string
  readonly output?: string | undefined
  readonly reason?: string | undefined
}

export type BatchReport = ReturnType<typeof createBatchReport>

/** Collects what became of the files of a run, and tells it at the end. */
export function createBatchReport() {
  const lines: ReportLine[] = []
  const refused: string[] = []
  return {
    /** @param label of the file, for people */
    add(line: ReportLine, label: string): void {
      lines.push(line)
      if (line.status === 'refused') refused.push(`${printable(label)}: ${printable(line.reason ?? '')}`)
    },
    hasRefused: () => refused.length > 0,
    /** The refused files once more, where other lines came after them. */
    refusedText: () =>
      refused.length === 0 || lines.length === refused.length
        ? ''
        : `refused:\n${refused.map((line) => `  ${line}\n`).join('')}`,
    /** JSON lines, in the order of the files. */
    bytes: () => new TextEncoder().encode(lines.map(jsonLine).join('')),
  }
}

/** How many files were not looked at, by their endings: `2 .txt, 1 hidden`. Undefined when there are none. */
export function passedOverText(passedOver: PassedOver): string | undefined {
  const counts = [...passedOver].sort(([, one], [, other]) => other - one)
  const sum = counts.reduce((total, [, number]) => total + number, 0)
  return sum === 0
    ? undefined
    : `${sum} passed over: ${counts.map(([what, number]) => `${number} ${printable(what)}`).join(', ')}`
}

/** The first line of a report is short. */
const HEAD_BYTES = 64 * 1024

/**
 * Refuses a place for the report where something else is, before any work. The report of an earlier run is replaced.
 * @throws ServiceError
 */
export async function checkReport(path: string, files: UserFiles): Promise<void> {
  await about(path, async () => {
    await files.checkOutput(path, { mayOverwrite: true, inputs: [] })
    const there = await files.entryAt(path)
    if (!there || there.bytes === 0) return
    const source = await files.openPhoto(path)
    const [line = ''] = new TextDecoder()
      .decode(await source.read(0, Math.min(HEAD_BYTES, source.size)))
      .split('\n')
    if (isReportLine(parseJson(line))) return
    throw new ServiceError('invalid-request', 'It is there already, and is no report of an earlier run.')
  })
}

function isReportLine(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'input' in value && 'status' in value
}

/**
 * Does the work of a run, and writes its report, also when the work ends early.
 * @throws what `work` throws; ServiceError when the report cannot be written
 */
export async function withReport<T>(
  path: string | undefined,
  report: BatchReport,
  files: UserFiles,
  work: () => Promise<T>,
): Promise<T> {
  if (path === undefined) return work()
  let result: T
  try {
    result = await work()
  } catch (error) {
    await writeReport(path, report, files).catch((unwritten: unknown) => {
      process.stderr.write(`motion-photo: ${failureOf(unwritten).sentence}\n`)
    })
    throw error
  }
  await writeReport(path, report, files)
  return result
}

/** @throws ServiceError */
async function writeReport(path: string, report: BatchReport, files: UserFiles): Promise<void> {
  const { signal } = new AbortController()
  const detail = 'The report could not be written. '
  await about(path, () =>
    reworded(
      () => files.writeOutput(path, report.bytes(), { mayOverwrite: true, signal, mode: 0o600 }),
      (error) => new ServiceError(error.code, detail + error.detail, { cause: error }),
    ),
  )
}
