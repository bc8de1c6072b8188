// The end of `.ci/run`: names the tests that were skipped, failed or unstable in the steps of $CI_RESULTS, and prints
// `N passed, N failed` as the last line, with `, N skipped` if there are any. Fails where anything did.
import { readFileSync } from 'node:fs'

const lines = readFileSync(process.env.CI_RESULTS, 'utf8').split('\n').filter(Boolean)
const entries = lines.map((line) => JSON.parse(line))
const counted = entries.filter(({ begun }) => !begun)
const lost = entries.filter(({ begun, name }) => begun && !counted.some((step) => step.name === name))
const steps = [...counted, ...lost.map(withoutEnd)]

console.log('\n=== result')
for (const { notes } of steps) for (const note of notes) console.log(note)
const [passed, failed, skipped] = ['passed', 'failed', 'skipped'].map((kind) =>
  steps.reduce((sum, step) => sum + step[kind], 0),
)
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
process.exitCode = passed > 0 && failed === 0 ? 0 : 1

/** A step whose program has ended before it could count. */
function withoutEnd({ name }) {
  return { passed: 0, failed: 1, skipped: 0, notes: [`FAIL  ${name} (ended in the middle)`] }
}
