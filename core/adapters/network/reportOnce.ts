import type { Log } from '#core/log'
import type { Family } from './multicastInterfaces'
import { errorCode } from './nodeSockets'

export type ReportProblem = (what: string, family: Family, where: string, error: unknown) => void

/**
 * Logs each problem of each interface once. Those of IPv6 at debug level: many machines have it on some of their interfaces only,
 * and loopback refuses it nearly everywhere.
 */
export function reportOnce(log: Log): ReportProblem {
  const reported = new Set<string>()
  return (what, family, where, error) => {
    const code = errorCode(error) ?? String(error)
    const key = `${what} ${family} ${where} ${code}`
    if (reported.has(key)) return
    reported.add(key)
    log[family === 'ipv4' ? 'warn' : 'debug'](what, { interface: where, code })
  }
}
