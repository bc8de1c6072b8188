import { access, readFile } from 'node:fs/promises'
import { assert, suite } from '#support/runner/suite'
import { type Plant, plantInto, withTestFile } from '../../plants/plant'
import { plants } from '../../plants/plants'

const test = suite('planted bugs')

const plant: Plant = {
  file: 'core/a.ts',
  original: 'a + b',
  planted: '$& - b',
  breaks: 'sums',
  caughtBy: 'unit/a',
}

test('a plant replaces the only place of its original, as it is written', () => {
  assert.is(plantInto('return a + b\n', plant), 'return $& - b\n')
})

test('a plant whose original is gone, or there twice, is stale', () => {
  assert.throws(() => plantInto('return a - b', plant), /Stale plant: core\/a\.ts contains 0 times: a \+ b/)
  assert.throws(() => plantInto('a + b + a + b', plant), /contains 2 times/)
})

test('a plant that names no test file is caught by the one of its own name', () => {
  const { caughtBy, ...written } = plant
  assert.equal(withTestFile(written), plant)
  assert.is(withTestFile({ ...written, file: 'handlers/b.tsx' }).caughtBy, 'unit/handlers/b')
  assert.is(withTestFile({ ...written, caughtBy: 'contract/a' }).caughtBy, 'contract/a')
})

test('every plant fits its source, changes it, and names a test file', async () => {
  const problems = await Promise.all(plants.map(problemOf))
  assert.equal(
    problems.filter((problem) => problem !== undefined),
    [],
  )
})

test('there are at least forty, over both services and their hosts', () => {
  assert.ok(plants.length >= 40)
  for (const folder of [
    'core/http/',
    'core/media/',
    'core/room/',
    'core/easytier/',
    'local-runner/',
    'handlers/',
  ])
    assert.ok(
      plants.some(({ file }) => file.startsWith(folder)),
      folder,
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
