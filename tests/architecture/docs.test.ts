import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
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

test('the README lists each setting of the services, and no other', async () => {
  const sources = await Promise.all(
    [
      'core/environment.ts',
      'core/media/config.ts',
      'core/media/bucketSettings.ts',
      'core/media/client.ts',
      'core/room/config.ts',
    ].map((path) => readFile(path, 'utf8')),
  )
  const inCode = names(sources.join('\n'), /'([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)'/g)
  const table = (await readFile('README.md', 'utf8')).split('\n').filter((line) => line.startsWith('| `'))
  const listed = names(
    table.map((line) => line.split('|')[1] ?? '').join('\n'),
    /`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)`/g,
  )
  const elsewhere = (name: string) => name.startsWith('AWS_')
  assert.equal(
    listed.filter((name) => !elsewhere(name)),
    inCode.filter((name) => !elsewhere(name)),
  )
})

test('docs/rooms.md lists each setting of a shared node', async () => {
  const inCode = names(await readFile('local-runner/room/relay/config.ts', 'utf8'), /'(ROOM_RELAY_[A-Z_]+)'/g)
  assert.ok(inCode.length > 0)
  assert.equal(names(await readFile('docs/rooms.md', 'utf8'), /`(ROOM_RELAY_[A-Z_]+)`/g), inCode)
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

function names(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, name = '']) => name))].sort()
}

test.run()
