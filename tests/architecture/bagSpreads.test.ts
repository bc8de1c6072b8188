import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { assert, suite } from '#support/runner/suite'
import { bagSpreads } from './bagSpreads'

/** This number only falls. */
const MOST = 20

const test = suite('bags are not spread', { timeoutMs: 60_000 })

test('the product spreads few of them', async () => {
  const found = await Promise.all(
    ['core', 'handlers', 'local-runner'].map(async (root) => {
      const names = await readdir(root, { recursive: true })
      const files = names.filter((name) => /\.tsx?$/.test(name) && !/(?:^|[/\\])node_modules[/\\]/.test(name))
      const spreads = files.map(async (name) =>
        bagSpreads(join(root, name), await readFile(join(root, name), 'utf8')),
      )
      return (await Promise.all(spreads)).flat()
    }),
  )
  assert.ok(
    found.flat().length <= MOST,
    `${found.flat().length}, at most ${MOST}:\n${found.flat().join('\n')}`,
  )
})

test('a bag is told by its name, wherever it goes', () => {
  const spreads = (source: string) => bagSpreads('core/a.ts', source).map((line) => line.replace(/^.* /, ''))
  assert.equal(spreads('start({ ...options, clock })'), ['...options'])
  assert.equal(spreads('new Peer({ ...this.#options, id })'), ['...options'])
  assert.equal(spreads('const task = { ...peer.dependencies }'), ['...dependencies'])
  assert.equal(spreads('const parts = { ...composeUploads(shared), jobs }'), ['...composeUploads'])
})

test('values, arrays and rests may be spread', () => {
  const source =
    'move({ ...track, id }, [...parts]); run(...options); const { id, ...options } = given; f({ options })'
  assert.equal(bagSpreads('core/a.ts', source), [])
})

test.run()
