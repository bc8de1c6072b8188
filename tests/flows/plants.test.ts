import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '#support/process/serverProcess'
import { assert, suite } from '#support/runner/suite'

const test = suite('planted bugs', { timeoutMs: 15 * 60_000 })
const run = promisify(execFile)

test('each planted bug makes the test fail that is there to catch it', async () => {
  const program = join(projectRoot, 'dist/tests/plants/run.mjs')
  // The rest of `npm run test:all` runs these tests without a plant.
  const output = await run(
    process.execPath,
    [program, '--proven', '--jobs', String(availableParallelism())],
    {
      cwd: projectRoot,
      maxBuffer: 2 ** 24,
    },
  ).catch((error: { stdout?: string; message: string }) => ({ stdout: error.stdout ?? error.message }))
  const lines = output.stdout.trimEnd().split('\n')
  const failures = lines.filter(
    (line, index) => line.startsWith('FAIL') || lines[index - 1]?.startsWith('FAIL'),
  )
  assert.equal(failures, [])
  const [, caught] = /^(\d+) passed, 0 failed$/.exec(lines.at(-1) ?? '') ?? []
  assert.ok(Number(caught) >= 40, lines.at(-1))
})

test.run()
