import { readFileSync } from 'node:fs'

/** What one run of some work took. */
export type Cost = { readonly wallMs: number; readonly cpuMs: number }

/** Runs work once. CPU is this process's and that of its finished children: Linux tells it, elsewhere it is NaN. */
export async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  const cpuBefore = childrenCpuMs()
  const ownBefore = process.cpuUsage()
  const startedAt = performance.now()
  await work()
  return { wallMs: performance.now() - startedAt, cpuMs: childrenCpuMs() - cpuBefore + ownCpuMs(ownBefore) }
}

/** Runs two kinds of work in turn, so that a machine that grows slower slows both. */
export async function inTurn(
  rounds: number,
  naive: () => Promise<unknown>,
  ours: () => Promise<unknown>,
): Promise<{ naive: Cost[]; ours: Cost[] }> {
  const costs: { naive: Cost[]; ours: Cost[] } = { naive: [], ours: [] }
  await naive()
  await ours()
  for (let round = 0; round < rounds; round += 1) {
    costs.naive.push(await costOf(naive))
    costs.ours.push(await costOf(ours))
  }
  return costs
}

function ownCpuMs(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** Prints both medians and the ratio pair by pair; the ratio is what may be quoted. */
export function report(title: string, { naive, ours }: { naive: Cost[]; ours: Cost[] }, goal?: string): void {
  console.log(`\n${title}`)
  for (const [unit, figure] of [
    ['CPU ', ({ cpuMs }: Cost) => cpuMs],
    ['wall', ({ wallMs }: Cost) => wallMs],
  ] as const) {
    const ratios = naive.map((cost, round) => figure(cost) / figure(ours[round] ?? cost))
    console.log(
      `  ${unit}  naive ${seconds(naive.map(figure))}  ours ${seconds(ours.map(figure))}` +
        `  ratio ${median(ratios).toFixed(2)}× (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})` +
        (unit === 'CPU ' && goal ? `  goal ${goal}` : ''),
    )
  }
}

function seconds(values: readonly number[]): string {
  return `${(median(values) / 1000).toFixed(3)} s`
}

/** Fields 16 and 17 of /proc/self/stat: user and system time of children that were waited for, in ticks of 10 ms. */
function childrenCpuMs(): number {
  try {
    const [, rest = ''] = readFileSync('/proc/self/stat', 'utf8').split(') ')
    const fields = rest.split(' ')
    return (Number(fields[13]) + Number(fields[14])) * 10
  } catch {
    return Number.NaN
  }
}

/** User and system time of a process so far, in ticks of 10 ms; NaN elsewhere than on Linux. */
export function cpuSecondsOf(pid: number): number {
  const fields = procFile(pid, 'stat').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** Resident memory of a process, or only its own part without the files that are mapped; NaN elsewhere than on Linux. */
export function residentMegabytes(pid: number, part: 'VmRSS' | 'RssAnon' = 'VmRSS'): number {
  const [, kilobytes] = new RegExp(`^${part}:\\s+(\\d+)`, 'm').exec(procFile(pid, 'status')) ?? []
  return Number(kilobytes) / 1024
}

/** The most memory that children of this process have together while it works, in MB; NaN elsewhere than on Linux. */
export async function peakOfChildren(work: () => Promise<unknown>): Promise<number> {
  let peak = Number.NaN
  const timer = setInterval(() => {
    const pids = procFile(process.pid, `task/${process.pid}/children`).split(' ').filter(Boolean)
    const sum = pids.reduce((total, pid) => total + (residentMegabytes(Number(pid)) || 0), 0)
    if (sum > 0) peak = Math.max(sum, peak || 0)
  }, 10)
  try {
    await work()
  } finally {
    clearInterval(timer)
  }
  return peak
}

function procFile(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return ''
  }
}
