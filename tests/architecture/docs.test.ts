import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { referenceParts, withReference } from '#support/docs/referencePages'
import { assert, suite } from '#support/runner/suite'
import { decisionsOf, documentProblems } from './documents'

const test = suite('documents')

const TOP = ['core', 'handlers', 'local-runner', 'layers', 'tests', 'docs', '.ci']
/** The last two name what does not exist on purpose. */
const LEFT_OUT = /(^|\/)(node_modules|dist)(\/|$)|architecture\/(docs\.test|documents)\.ts$/
const READ = /\.(md|ts|mjs|js|proto|yml)$|^package\.json$/

test('paths, links, scripts and headings that documents and comments name exist', async () => {
  const project = await readProject()
  assert.ok(project.has('docs/architecture.md'), 'the documents were found')
  assert.equal(documentProblems(project), [])
})

test('there are few decisions, and the code quotes each', async () => {
  const project = await readProject()
  const numbers = decisionsOf(project.get('docs/decisions.md') ?? '')
  assert.ok(numbers.length > 0 && numbers.length <= 45, `${numbers.length} decisions`)
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

test('the README gives a reason for each package that is installed with the program', async () => {
  const readme = await readFile('README.md', 'utf8')
  const { dependencies, optionalDependencies } = JSON.parse(await readFile('package.json', 'utf8')) as Record<
    'dependencies' | 'optionalDependencies',
    Record<string, string>
  >
  const rows = readme.split('\n').filter((line) => line.startsWith('| `'))
  const unexplained = Object.keys({ ...dependencies, ...optionalDependencies }).filter(
    (name) => !rows.some((row) => row.split('|')[1]?.includes(`\`${name}\``)),
  )
  assert.equal(unexplained, [])
})

const good = {
  'package.json': '{"scripts":{"build":""}}',
  'core/errors.ts': '// docs/page.md, "What it is" and docs/decisions.md, D1',
  'core/a/b.ts': '',
  'docs/page.md':
    '# Page\n\n## What it is\n\n`core/errors.ts` `core/{a,errors.ts}` `core/*.ts` `npm run build`',
  'docs/decisions.md': '**D1 · One** [page](page.md#what-it-is)',
}

test('a project whose documents are right is left alone', () => {
  assert.equal(documentProblems(new Map(Object.entries(good))), [])
})

const planted: readonly (readonly [file: string, text: string, problem: string])[] = [
  ['docs/page.md', '`core/error.ts`', 'docs/page.md: there is no core/error.ts'],
  ['docs/page.md', '`core/{a,c}`', 'docs/page.md: there is no core/c'],
  ['docs/page.md', '`core/a/*.mjs`', 'docs/page.md: there is no core/a/*.mjs'],
  ['README.md', '[x](docs/none.md)', 'README.md: the link docs/none.md leads nowhere'],
  ['README.md', '[x](docs/page.md#why)', 'README.md: the link docs/page.md#why leads nowhere'],
  ['README.md', '```sh\nnpm run -s deploy\n```', 'README.md: there is no script deploy'],
  ['core/a/b.ts', '// docs/none.md', 'core/a/b.ts: docs/none.md is not there'],
  ['core/a/b.ts', '// docs/page.md, "Why"', 'core/a/b.ts: docs/page.md, "Why" is not there'],
  ['core/a/b.ts', '// docs/decisions.md, D2', 'core/a/b.ts: docs/decisions.md, D2 is not there'],
]

for (const [file, text, problem] of planted)
  test(`it is found: ${problem}`, () => {
    const old = (good as Record<string, string>)[file] ?? ''
    assert.ok(
      documentProblems(new Map([...Object.entries(good), [file, `${old}\n${text}`]])).includes(problem),
    )
  })

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
