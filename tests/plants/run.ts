import { readFile } from 'node:fs/promises'
import { availableParallelism, constants } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { projectRoot } from '#support/process/serverProcess'
import { removeFolders } from '#support/process/tempFolder'
import { type FileResult, runFile } from '#support/runner/runFile'
import { endsAtFailureVariable, onlyTestVariable } from '#support/runner/suite'
import { inParallel } from '#support/values/inParallel'
import { type Plant, plantInto } from './plant'
import { plants } from './plants'

// Each plant is built into the one test file that must catch it, and that file is run.

const usage = `npm run test:plants -- [words] [--jobs N]
  Plants a bug in the product, runs the tests that must fail by it, and so for each plant of tests/plants.
  words     only the plants whose source file, test file or description contains one of them
  --jobs N  plants at once (default: two per core, since many tests wait)
  --proven  these tests have just passed: they are not run without a plant first`

type Outcome = { readonly caught: boolean; readonly says: string }

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { jobs: { type: 'string' }, proven: { type: 'boolean' }, help: { type: 'boolean' } },
})
const jobs = Number(values.jobs ?? 2 * availableParallelism())
if (values.help || !(jobs >= 1)) {
  console.log(usage)
  process.exit(values.help ? 0 : 1)
}

const stop = new AbortController()
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(name, () => {
    process.exitCode = 128 + constants.signals[name]
    stop.abort()
  })

const outputFolder = fileURLToPath(new URL('built', import.meta.url))
const esbuildFile: { readonly groups: { tests(): Promise<BuildOptions> } } = await import(
  pathToFileURL(join(projectRoot, 'esbuild.mjs')).href
)
const buildOptions = await esbuildFile.groups.tests()

const wanted = plants.filter(
  ({ file, breaks, caughtBy }) =>
    positionals.length === 0 || positionals.some((word) => `${file} ${breaks} ${caughtBy}`.includes(word)),
)
let caught = 0
let failed = 0
const report = (name: string, { caught: isCaught, says }: Outcome) => {
  if (isCaught) caught++
  else failed++
  console.log(`${isCaught ? ' ok ' : 'FAIL'}  ${name}\n      ${says.replaceAll('\n', '\n      ')}`)
}

try {
  // A test that fails anyway proves nothing.
  const files = values.proven ? [] : [...new Set(wanted.map(({ caughtBy }) => caughtBy))]
  const broken = new Set<string>()
  await inParallel(files, jobs, stop.signal, async (name) => {
    const { failures, passed, output } = await runBuilt(name, `dist/tests/${name}.test.mjs`)
    if (failures.length === 0 && passed > 0) return
    broken.add(name)
    report(name, { caught: false, says: `It fails without any plant: ${failures.join('; ')}\n${output}` })
  })
  await inParallel(
    wanted.map((plant, index) => ({ plant, index })),
    jobs,
    stop.signal,
    async ({ plant, index }) => {
      if (broken.has(plant.caughtBy)) return
      const startedAt = performance.now()
      const outcome = await tryPlant(plant, join(outputFolder, String(index))).catch(
        (error: unknown): Outcome => ({ caught: false, says: String(error) }),
      )
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
      report(`${plant.file}: ${plant.breaks}  ${seconds} s`, outcome)
    },
  )
} finally {
  await removeFolders(outputFolder)
}
console.log(`\n${caught} passed, ${failed} failed`)
process.exitCode ??= failed === 0 && caught > 0 ? 0 : 1

async function tryPlant(plant: Plant, folder: string): Promise<Outcome> {
  const source = await readFile(join(projectRoot, plant.file), 'utf8')
  const planting = planted(plant, plantInto(source, plant))
  await build({
    ...buildOptions,
    entryPoints: [`tests/${plant.caughtBy}.test.ts`],
    outbase: '.',
    outdir: folder,
    write: true,
    plugins: [planting.plugin, ...(buildOptions.plugins ?? [])],
  })
  if (!planting.isUsed()) return { caught: false, says: `${plant.caughtBy} does not import this file.` }
  const { failures, passed } = await runBuilt(
    plant.caughtBy,
    join(folder, 'tests', `${plant.caughtBy}.test.mjs`),
    { [endsAtFailureVariable]: 'yes', ...(plant.test && { [onlyTestVariable]: plant.test }) },
  )
  if (failures.length === 0) return { caught: false, says: `${plant.caughtBy} passes all the same.` }
  // A file that does not even load would do so with any plant.
  const isBroken = passed === 0 && failures.every((name) => name.startsWith('(file)'))
  return { caught: !isBroken, says: `${plant.caughtBy}: ${failures.slice(0, 3).join('; ')}` }
}

function planted(plant: Plant, contents: string): { readonly plugin: Plugin; isUsed(): boolean } {
  let used = false
  const path = join(projectRoot, plant.file)
  const filter = new RegExp(`${basename(plant.file).replaceAll('.', '\\.')}$`)
  return {
    isUsed: () => used,
    plugin: {
      name: 'planted',
      setup(setup) {
        setup.onLoad({ filter }, (file) => {
          if (file.path !== path) return undefined
          used = true
          return { contents, loader: 'ts' }
        })
      },
    },
  }
}

function runBuilt(name: string, path: string, env: Record<string, string> = {}): Promise<FileResult> {
  return runFile(name, path, stop.signal, env)
}
