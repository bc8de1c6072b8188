import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { hostname } from 'node:os'

/** What a file has in its name that this process has made, `<pid>-<start>-<machine>`. */
export const ownerName = nameOf(startOfThisProcess())

/** As a process of this machine named its own files which had our number before us. */
export const ownerBeforeUs = nameOf('1')

function nameOf(start: string): string {
  const machine = createHash('sha256').update(hostname()).digest('hex').slice(0, 8)
  return `${process.pid}-${start}-${machine}`
}

/** In clock ticks since the machine started, field 22 of its status; 0 where there is no /proc. */
function startOfThisProcess(): string {
  const path = '/proc/self/stat'
  if (!existsSync(path)) return '0'
  const afterName = readFileSync(path, 'utf8').replace(/^.*\) /s, '')
  return afterName.split(' ')[19] ?? '0'
}
