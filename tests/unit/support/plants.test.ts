import { access, readFile } from 'node:fs/promises'
import { assert, suite } from '#support/runner/suite'
import { type Plant, plantInto } from '../../plants/plant'
import { plants } from '../../plants/plants'

const test = suite('planted bugs')

test('every plant fits its source, changes it, and names a test file', async () => {
  const problems = await Promise.all(plants.map(problemOf))
  assert.equal(
    problems.filter((problem) => problem !== undefined),
    [],
  )
})

async function problemOf(each: Plant): Promise<string | undefined> {
  try {
    const source = await readFile(each.file, 'utf8')
    await access(`tests/${each.caughtBy}.test.ts`)
    return plantInto(source, each) === source ? `${each.file} stays as it is` : undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

test.run()
