import type { Log } from '#core/log'
import type { Family } from './interfaces'

export type ReportProblem = (what: string, family: Family, where: string, error: unknown) => void

/**
 * Logs each problem of each interface once, those of IPv6 at a lower level: many machines have IPv6 on some of their
 * interfaces only, and loopback refuses it nearly everywhere.
 */
export function reportOnce(log: Log): ReportProblem {
  const told = new Set<string>()
  return (what, family, where, error) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    const key = `${what} ${family} ${where} ${code}`
    if (told.has(key)) return
    told.add(key)
    log[family === 'ipv4' ? 'warn' : 'debug'](what, { interface: where, code })
  }
}
