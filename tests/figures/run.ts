import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { referenceParts, withReference } from '#support/docs/referencePages'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { type Figures, measureSources, type SourceFile } from './measureSources'
import { takeReadmePictures } from './readmePictures'
import { judgeRealFiles } from './realFiles'
import { takeScreenshots } from './screenshots'
import { makeTrial } from './trial'

const usage = `npm run figures -- [--root FOLDER] [--time] [screenshots | pictures | real-files | reference | trial VIDEO]
  Measures how the code is built: complexity, sizes, habits, folders, tests, scripts.
  --root FOLDER  another checkout (default: this one)
  screenshots    photographs every state of both pages into dist/screenshots instead
  pictures       photographs the studio for README.md into docs/images, with a film that it draws
  real-files     brings photos of real phones from GitHub into .cache/real-files, and compares what inspect makes of them
                 with other programs; --mirror FOLDER (or REAL_FILES_MIRROR) looks into git repositories there first,
                 --write puts the table into docs/real-files.md
  reference      writes the reference pages below docs from the schemas and settings
  trial VIDEO    makes photos of a video that differ in one thing each, to be tried on a phone (docs/phones.md); first npm run build
  --time         also runs the quick tests of this checkout, and says how long they take`

const run = promisify(execFile)

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    root: { type: 'string' },
    time: { type: 'boolean' },
    mirror: { type: 'string' },
    write: { type: 'boolean' },
    help: { type: 'boolean' },
  },
})
if (values.help) console.log(usage)
else if (positionals.includes('screenshots')) await takeScreenshots()
else if (positionals.includes('pictures')) await takeReadmePictures()
else if (positionals.includes('reference')) await writeReference()
else if (positionals[0] === 'trial' && positionals[1] !== undefined)
  console.log(await makeTrial(positionals[1]))
else if (positionals.includes('real-files'))
  await judgeRealFiles({
    mirror: values.mirror ?? process.env.REAL_FILES_MIRROR,
    isWritten: values.write === true,
  })
else await main(resolve(values.root ?? '.'))

async function main(root: string): Promise<void> {
  const files = await readSources(root)
  const [over10, over15] = await Promise.all([countComplex(root, 10), countComplex(root, 15)])
  const figures = measureSources(files)
  console.log(table(figures, { over10, over15 }, await measureTexts(root)))
  if (values.time) console.log(`\nnpm test, without its build: ${await timeQuickTests()}`)
}

async function writeReference(): Promise<void> {
  for (const [path, part] of await referenceParts()) {
    await writeFile(path, withReference(await readFile(path, 'utf8'), part))
  }
}

/** All TypeScript and JavaScript that git knows, generated code and fixtures left out. */
async function readSources(root: string): Promise<SourceFile[]> {
  const { stdout } = await run('git', ['ls-files', '-z'], { cwd: root, maxBuffer: 2 ** 26 })
  const isSource = (path: string) =>
    /^(core|handlers|local-runner|layers|tests)\/.*\.[cm]?[jt]sx?$/.test(path) &&
    !/_pb\.ts$|^tests\/(fixtures|game)\//.test(path)
  const paths = stdout.split('\0').filter(isSource)
  return Promise.all(paths.map(async (path) => ({ path, source: await readFile(join(root, path), 'utf8') })))
}

/** Runs what `npm test` runs, built already. */
async function timeQuickTests(): Promise<string> {
  const startedAt = performance.now()
  const { stdout } = await run(process.execPath, [join('dist', 'tests', 'run.mjs')], {
    maxBuffer: 2 ** 26,
  }).catch((error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }))
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  return `${seconds} s (${stdout.trimEnd().split('\n').at(-1)}); the goal is 180 s on two cores`
}

/** How many functions of the product have a cognitive complexity above `max`, as Biome counts it. */
async function countComplex(root: string, max: number): Promise<number> {
  const folder = await makeTempFolder('figures')
  try {
    const rule = { level: 'error', options: { maxAllowedComplexity: max } }
    const config = {
      linter: { rules: { recommended: false, complexity: { noExcessiveCognitiveComplexity: rule } } },
      formatter: { enabled: false },
      assist: { enabled: false },
    }
    await writeFile(join(folder, 'biome.json'), JSON.stringify(config))
    const biome = resolve('node_modules/.bin/biome')
    const args = ['lint', `--config-path=${folder}`, '--max-diagnostics=none', '--reporter=summary']
    // It ends with 1 where it finds something.
    const output = await run(biome, [...args, '--colors=off', 'core', 'handlers', 'local-runner'], {
      cwd: root,
    }).catch((error: { stdout?: string; stderr?: string }) => error)
    const text = `${output.stdout}${output.stderr}`
    const [, count] = /noExcessiveCognitiveComplexity\s+(\d+)/.exec(text) ?? []
    if (count === undefined && !/Checked \d+ files/.test(text)) throw new Error(`Biome said: ${text}`)
    return Number(count ?? 0)
  } finally {
    await removeFolders(folder)
  }
}

function table(
  figures: Figures,
  { over10, over15 }: { readonly over10: number; readonly over15: number },
  texts: Texts,
): string {
  const { product, tests, longFunctions, over40, fullFolders, ambiguousTypes, smallWithOneUser } = figures
  const rows: [string, string, string][] = [
    ['lines of the product, modules', `${product.lines}, ${product.modules}`, '≤ 64500'],
    ['lines of the tests', `${tests.lines}`, '≤ 92000'],
    [
      'functions > 100 lines, > 40 per kLOC',
      `${longFunctions.length}, ${perThousand(over40, product.lines)}`,
      '≤ 8, ≤ 1.5',
    ],
    ['folders with more than 14 files', `${fullFolders.length}`, '≤ 4'],
    ['exported types of one name in several modules', `${ambiguousTypes.length}`, '≤ 5'],
    ['modules ≤ 45 lines with one user', `${smallWithOneUser.length}`, '≤ 20'],
    ['README: words, lines', `${texts.readmeWords}, ${texts.readmeLines}`, '≤ 1000, ≤ 120'],
    ['decisions; words of the changelog', `${texts.decisions}; ${texts.changelogWords}`, '≤ 45; one page'],
    [
      'functions with cognitive complexity > 10',
      `${over10} (${perThousand(over10, product.lines)} per kLOC)`,
      '≤ 1.0',
    ],
    ['functions with cognitive complexity > 15', `${over15}`, '0'],
    ['modules > 200 lines', `${product.long.length}`, '≤ 3'],
    ['modules ≤ 20 lines', `${product.short.length}`, '≤ 12'],
    ['grouping spreads in product, in tests', `${product.spreads}, ${tests.spreads}`, '0, 0'],
    [
      'abort listeners outside core/base/async, inside',
      `${product.listeners}, ${figures.asyncListeners}`,
      '0, ≤ 5',
    ],
    ['folders that import each other', `${figures.folderPairs.length}`, '0'],
    ['npm scripts', `${texts.scripts}`, '≤ 14'],
  ]
  const width = Math.max(...rows.map(([name]) => name.length)) + 2
  const lines = rows.map(([name, value, goal]) => `${name.padEnd(width)}${value.padEnd(22)}${goal}`)
  return [
    `${'figure'.padEnd(width)}${'here'.padEnd(22)}goal`,
    ...lines,
    list('functions longer than 100 lines', longFunctions),
    list('folders with more than 14 files', fullFolders),
    list('types of one name', ambiguousTypes),
    list('45 lines or fewer with one user', smallWithOneUser),
    list('longer than 200 lines', product.long),
    list('20 lines or fewer', product.short),
    list('folders that import each other', figures.folderPairs),
  ].join('\n')
}

type Texts = Awaited<ReturnType<typeof measureTexts>>

async function measureTexts(root: string) {
  const textOf = (path: string) => readFile(join(root, path), 'utf8')
  const [readme, changelog, decisions, manifest] = await Promise.all(
    ['README.md', 'CHANGELOG.md', 'docs/decisions.md', 'package.json'].map(textOf),
  )
  const wordsOf = (text = '') => text.split(/\s+/).filter(Boolean).length
  return {
    readmeWords: wordsOf(readme),
    readmeLines: (readme ?? '').split('\n').length - 1,
    changelogWords: wordsOf(changelog),
    decisions: [...(decisions ?? '').matchAll(/^\*\*D\d+ /gm)].length,
    scripts: Object.keys(JSON.parse(manifest ?? '{}').scripts).length,
  }
}

function list(title: string, items: readonly string[]): string {
  return items.length === 0 ? '' : `\n${title}:\n${items.map((item) => `  ${item}`).join('\n')}`
}

function perThousand(count: number, lines: number): string {
  return ((count * 1000) / lines).toFixed(1)
}
