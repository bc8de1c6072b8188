import { KINDS, type Line, STATUSES } from '@lantern-room/takeout/work'
import { printable } from '../../commandLine/readArguments'
import { type BatchReport, createBatchReport } from '../batch/batchReport'
import { tellPath } from '../tell'

/** Collects what became of each file of an export. */
export function createTakeoutReport(isDry: boolean) {
  const report: BatchReport = createBatchReport()
  const counts = new Map<string, number>()
  return {
    lines: report,
    hasRefused: report.hasRefused,
    add({ input, kind, status, output, reason }: Line): void {
      report.add({ input, status, output, reason }, input)
      const key = `${kind} ${status}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
      if (status === 'refused')
        process.stderr.write(`motion-photo: ${printable(input)}: ${printable(reason ?? '')}\n`)
      if (!isDry && output !== undefined && (status === 'made' || status === 'copied')) tellPath(output)
    },
    /** What became of how many files of each kind. */
    table(): string {
      const rows = KINDS.map((kind) => [
        kind,
        ...STATUSES.map((status) => String(counts.get(`${kind} ${status}`) ?? 0)),
      ])
      return [['', ...STATUSES], ...rows].map(rowText).join('')
    },
  }
}

const WIDTH = 10

function rowText([kind = '', ...cells]: readonly string[]): string {
  return `${kind.padEnd(WIDTH)}${cells.map((cell) => cell.padStart(WIDTH)).join('')}\n`
}
