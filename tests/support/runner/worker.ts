import { resolve } from 'node:path'
import { run } from 'uvu/run'
import { killMarked, markVariable } from '../process/markedProcesses'
import { LOAD_FAILURE } from './runFile'

// The process of one test file: `worker.mjs <built test file>`, started by the runner with a channel. uvu, which must not be
// loaded before its `run` says how, runs the suites.

/** On a busy machine, handles and child processes need seconds to close. */
const GRACE_MS = 6_000
const [, , file = ''] = process.argv
const { setTimeout } = globalThis

// Without the runner nothing else would end this process and those that it has started.
process.on(
  'disconnect',
  () => void killMarked(process.env[markVariable]?.split(',').at(-1) ?? '', process.pid),
)
process.channel?.unref()

// Also called for a rejection that nothing handles. The test that caused it cannot be told from others.
process.on('uncaughtException', (error) => {
  fail('(uncaught error)', error)
  process.send?.({ kind: 'ended', name: file }, () => process.exit(1))
})

await run([{ name: '', file: resolve(file) }]).catch((error) => fail(LOAD_FAILURE, error))
process.send?.({ kind: 'ended', name: file })
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
