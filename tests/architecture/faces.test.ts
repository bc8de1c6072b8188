import { readdir, readFile } from 'node:fs/promises'
import { assert, suite } from '#support/runner/suite'
import { faceNames, lacksExample } from './faceNames'

/** A JSON file for each package, by its folder's name: entry → names. A longer list is a decision, and its commit says so. */
const LISTS = 'tests/architecture/faces'

const test = suite('the faces of packages')

for (const list of await readdir(LISTS)) {
  const folder = `core/${list.replace(/\.json$/, '')}`
  const listed: Readonly<Record<string, readonly string[]>> = JSON.parse(
    await readFile(`${LISTS}/${list}`, 'utf8'),
  )

  test(`${folder} exports what its list says, and no more`, async () => {
    assert.equal(await facesOf(folder), listed)
  })

  test(`each function of ${folder} shows how it is called`, async () => {
    const entries = await entriesOf(folder)
    const names = await Promise.all(
      entries.map(async ([, path]) => faceNames(path, await readFile(path, 'utf8'))),
    )
    const lacking = await Promise.all(
      names
        .flat()
        .filter(({ file }) => !file.endsWith('.json.ts'))
        .map(async ({ name, file }) => (lacksExample(name, await readFile(file, 'utf8')) ? [name] : [])),
    )
    assert.equal([...new Set(lacking.flat())], [])
  })
}

test('every form of an export is a name, and one that names nothing is an error', () => {
  const source = `export { b, type C as D } from './part/b'\nexport type { E } from '../e'\nexport const f = 1\nexport function a() {}`
  assert.equal(faceNames('core/x/index.ts', source), [
    { name: 'D', file: 'core/x/part/b.ts' },
    { name: 'E', file: 'core/e.ts' },
    { name: 'a', file: 'core/x/index.ts' },
    { name: 'b', file: 'core/x/part/b.ts' },
    { name: 'f', file: 'core/x/index.ts' },
  ])
  assert.throws(() => faceNames('core/x/index.ts', "export * from './b'"), /names nothing/)
})

test('an example counts in the comment of the function alone', () => {
  const shown = '/**\n * Adds.\n * @example\n * add(1, 2)\n */\n'
  assert.not.ok(lacksExample('add', `${shown}export function add() {}`))
  assert.ok(lacksExample('add', `${shown}export const one = 1\n\n/** Adds. */\nexport function add() {}`))
  assert.ok(lacksExample('all', '/** Gives all. */\nexport function* all() {}'))
  assert.not.ok(lacksExample('Sum', 'export type Sum = number'))
})

async function facesOf(folder: string): Promise<Record<string, readonly string[]>> {
  const faces: Record<string, readonly string[]> = {}
  for (const [entry, path] of await entriesOf(folder))
    faces[entry] = faceNames(path, await readFile(path, 'utf8')).map(({ name }) => name)
  return faces
}

/** `./wire` and `core/easytier/wire/index.ts`, for each entry of a package. */
async function entriesOf(folder: string): Promise<readonly (readonly [string, string])[]> {
  const { exports } = JSON.parse(await readFile(`${folder}/package.json`, 'utf8'))
  return Object.entries<string>(exports).map(([entry, path]) => [entry, path.replace(/^\./, folder)])
}

test.run()
