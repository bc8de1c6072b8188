import { readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { run } from 'uvu/run'
import { killMarked, markVariable } from '../process/markedProcesses'
import { LOAD_FAILURE, type Told } from './told'

// The process of one test file: `worker.mjs <built test file>`, started by the runner with a channel. uvu, which must not be
// loaded before its `run` says how, runs the suites.

/** On a busy machine, handles and child processes need seconds to close. */
const GRACE_MS = 6_000
const [, , file = ''] = process.argv
const { setTimeout } = globalThis
/** Made for this process by the runner. */
const temporary = tmpdir()

// Without the runner nothing else would end this process and those that it has started, or remove their files.
process.on('disconnect', () => {
  killMarked(process.env[markVariable]?.split(',').at(-1) ?? '', undefined)
  rmSync(temporary, { recursive: true, force: true })
  process.kill(-process.pid, 'SIGKILL')
})
process.channel?.unref()

// Also called for a rejection that nothing handles. The test that caused it cannot be told from others.
process.on('uncaughtException', (error) => {
  fail('(uncaught error)', error)
  process.send?.(ended(), () => process.exit(1))
})

// uvu imports `file:///` with the path as it is, which is wrong for folders with a "#" or "%" in their names.
const path = pathToFileURL(resolve(file)).href.slice('file:///'.length)
await run([{ name: '', file: path }]).catch((error) => fail(LOAD_FAILURE, error))
process.send?.(ended())
setTimeout(() => {
  console.error(
    `Still open ${GRACE_MS / 1000} s after the last test: ${process.getActiveResourcesInfo().join(', ')}`,
  )
  process.exit(1)
}, GRACE_MS).unref()

function fail(name: string, error: unknown): void {
  console.error(error)
  process.send?.({ kind: 'failed', name })
}

function ended(): Told {
  return { kind: 'ended', name: file, cpuSeconds: cpuSeconds() }
}

/** Of this process and, on Linux, of those that it has waited for. */
function cpuSeconds(): number {
  if (process.platform !== 'linux') return (process.cpuUsage().user + process.cpuUsage().system) / 1e6
  // utime, stime, cutime and cstime, in hundredths of a second. @see proc(5)
  const [, fields = ''] = readFileSync('/proc/self/stat', 'latin1').split(') ')
  return fields
    .split(' ')
    .slice(11, 15)
    .reduce((sum, ticks) => sum + Number(ticks) / 100, 0)
}
