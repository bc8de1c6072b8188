import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { referenceParts, withReference } from '#support/docs/referencePages'
import { assert, suite } from '#support/runner/suite'
import { decisionsOf, documentProblems } from './documents'

const test = suite('documents')

const TOP = ['core', 'handlers', 'local-runner', 'layers', 'tests', 'docs', '.ci']
/** The last one names what does not exist on purpose. */
const LEFT_OUT = /(^|\/)(node_modules|dist)(\/|$)|architecture\/documents\.ts$/
const READ = /\.(md|tsx?|mjs|js|proto|yml)$|^package\.json$/

test('paths, links, scripts and headings that documents and comments name exist', async () => {
  const project = await readProject()
  assert.ok(project.has('docs/architecture.md'), 'the documents were found')
  assert.equal(documentProblems(project), [])
})

test('there are few decisions, and the code quotes each', async () => {
  const project = await readProject()
  const numbers = decisionsOf(project.get('docs/decisions.md') ?? '')
  assert.ok(numbers.length > 0 && numbers.length <= 55, `${numbers.length} decisions`)
  assert.is(new Set(numbers).size, numbers.length)
  const code = [...project].filter(([path]) => /^(core|handlers|local-runner|layers)\/|^esbuild/.test(path))
  const isQuoted = (number: string) =>
    code.some(([, text]) => new RegExp(`docs/decisions\\.md, ${number}\\b`).test(text))
  assert.equal(
    numbers.filter((number) => !isQuoted(number)),
    [],
  )
})

test('the reference pages are those of the schemas and settings', async () => {
  for (const [path, part] of await referenceParts()) {
    const page = await readFile(path, 'utf8')
    assert.is(page, withReference(page, part), `npm run figures -- reference writes ${path} anew`)
  }
})

test('the README gives a reason for each package that is part of the programs', async () => {
  const readme = await readFile('README.md', 'utf8')
  const rows = readme.split('\n').filter((line) => line.startsWith('| `'))
  const unexplained = [...importedPackages(await readProject())].filter(
    (name) => !rows.some((row) => row.split('|')[1]?.includes(`\`${name}\``)),
  )
  assert.equal(unexplained, [])
})

test('who installs the package from npm gets no other but the optional ones, since its programs are bundles', async () => {
  const manifest = JSON.parse(await readFile('package.json', 'utf8'))
  assert.is(manifest.dependencies, undefined)
})

/** Of other authors, by the imports of the product's sources; those of types alone leave nothing in a program. */
function importedPackages(project: ReadonlyMap<string, string>): Set<string> {
  const product = [...project].filter(([path]) => /^(core|handlers|local-runner)\/.*\.tsx?$/.test(path))
  const names = product.flatMap(([, text]) =>
    [...text.matchAll(/^(?:import|export) (?!type )[^'"]* from '((?:@[\w.-]+\/)?[\w][\w.-]*)[^']*'/gm)].map(
      ([, name = '']) => name,
    ),
  )
  return new Set(names.filter((name) => name !== 'node' && !name.startsWith('@lantern-room/')))
}

async function readProject(): Promise<Map<string, string>> {
  const below = await Promise.all(
    TOP.map(async (folder) => (await readdir(folder, { recursive: true })).map((name) => join(folder, name))),
  )
  const atTop = (await readdir('.')).filter((name) => !name.startsWith('.'))
  const paths = [...atTop, ...below.flat()].filter((path) => !LEFT_OUT.test(path))
  return new Map(
    await Promise.all(
      paths.map(async (path) => [path, READ.test(path) ? await readFile(path, 'utf8') : ''] as const),
    ),
  )
}

test.run()
