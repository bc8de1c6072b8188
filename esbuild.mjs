// The one build file.
//   node esbuild.mjs                  handlers and local runner → dist/
//   node esbuild.mjs --tests          the same and all tests → dist/tests/
//   node esbuild.mjs --tests session  only the tests whose path contains the word: the quick loop while writing one
//   … --if-stale                      only what has changed since it was built
//   node esbuild.mjs --run main …     builds the local runner if it is stale, then runs dist/local-runner/main.mjs in
//                                     this process, with the arguments that follow
//   node esbuild.mjs --run tests …    the same for dist/tests/run.mjs. With words it builds the tests that they choose, and of
//                                     the product what these tests name
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, realpathSync, statSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { basename, dirname, join, relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { brotliCompressSync, constants } from 'node:zlib'

const parent = process.ppid
/** By each page's path: the files that it was built from, once it was. */
export const sourcesOfPages = new Map()
/** Nothing of a page runs before its frame is painted. */
const WAIT = "import { whenPainted } from './shared/whenPainted'\nwhenPainted(() => startPage())"
/** What stands for this script, and is no file. */
const WAIT_ENTRY = 'page-entry.ts'
const builtPages = new Map()
/** The package, once something had to be built. */
let esbuild
/** A page for any web server, which asks no service: no host imports it. */
const STATIC_PAGE = 'local-runner/ui/invitation.page.html'
const root = dirname(fileURLToPath(import.meta.url))
/** The options of `tests/run.ts`, to tell its words from their values: one that is missing here is refused. */
const RUN_OPTIONS = {
  all: { type: 'boolean' },
  jobs: { type: 'string' },
  repeat: { type: 'string' },
  results: { type: 'string' },
  root: { type: 'string' },
  help: { type: 'boolean' },
}
const { flags, words, program, programArguments } = readArguments(process.argv.slice(2))
const runsTests = program === 'tests'
const withTests = flags.includes('--tests') || runsTests
const onlySomeTests = withTests && words.length > 0
const onlyIfStale = flags.includes('--if-stale') || program !== undefined

const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
const { version } = manifest
const epoch = process.env.SOURCE_DATE_EPOCH
const builtAt = epoch === undefined ? new Date() : new Date(Number(epoch) * 1000)

// CommonJS packages inside an ES module still call `require`; the odd name cannot clash with bundled code.
const requireBanner =
  "import { createRequire as createRequireForBundle } from 'node:module';const require = createRequireForBundle(import.meta.url);"

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  mainFields: ['module', 'main'],
  outbase: '.',
  outdir: 'dist',
  outExtension: { '.js': '.mjs' },
  define: {
    __VERSION__: JSON.stringify(version),
    __BUILT_AT__: JSON.stringify(builtAt.toISOString()),
    // Where this is not set, the AWS SDK says at each start on Node 20 that its later versions will want another one.
    'process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED': '"true"',
  },
  banner: { js: requireBanner },
  sourcemap: true,
  sourcesContent: false,
  legalComments: 'external',
  logLevel: 'warning',
  metafile: true,
  write: false,
  plugins: [assembledWat(), wholePages()],
}

const TEST_PROGRAMS =
  /\.test\.ts$|^bench\/[^/]+\.ts$|^(plants\/|figures\/)?run\.ts$|^(support|unit)\/(.*\/)?\w*[wW]orker\.ts$/

const PRODUCT = ['handlers', 'stack', 'local-runner', 'formats', 'player', 'easytier']
/** How a test names what it runs of the product, once it is built: `dist/local-runner/room.mjs`. */
const NAMED_PRODUCT = /\bdist\/(handlers|stack|local-runner|formats|player|easytier)\b/g
/** How it names a folder of other built tests. */
const NAMED_TESTS = /\bdist\/(tests\/\w[\w/]*)/g
const RUNNER = ['tests/run.ts', 'tests/support/runner/worker.ts']
/** What a test has in it that finds an ffmpeg. */
const FFMPEG_SEARCH = 'locateFfmpeg'
/** What decides about a build besides the sources. */
const BUILD_FILES = [
  'esbuild.mjs',
  'package.json',
  'package-lock.json',
  'node_modules/.package-lock.json',
  'tsconfig.json',
]
/** File systems date a change by a clock that ticks this rarely. */
const CLOCK_GRAIN_MS = 50

// These hold native code or look for a file beside themselves, so they cannot live inside a bundle.
const external = ['ffmpeg-static', 'sharp']

export const groups = {
  handlers: async () => ({
    ...common,
    external: [...external, ...credentialsElsewhere()],
    entryPoints: await sources('handlers', /^[^/]+\.ts$/, ['compose.ts']),
    // A function that is loaded from cold waits for every byte. The maps stay here, for stacks in logs.
    minify: true,
    sourcemap: 'external',
    plugins: [...common.plugins, withoutBallast(), withPlainBuiltins()],
  }),
  // What serverless.yml and `npm run deploy` take. Serverless loads files of this ending only.
  stack: async () => ({
    ...common,
    entryPoints: ['handlers/stack/template.ts', 'handlers/stack/deploy.ts', 'handlers/stack/versions.ts'],
    outbase: 'handlers/stack',
    outdir: 'dist/stack',
    outExtension: { '.js': '.js' },
    plugins: [...common.plugins, withoutBallast()],
  }),
  'local-runner': async () => ({
    ...common,
    external,
    entryPoints: await sources(
      'local-runner',
      /^((main|motionPhoto|room|installFfmpeg|makeDeclarations|makeExecutables)\.ts|ui\/invitation\.page\.html)$/,
    ),
    banner: { js: `#!/usr/bin/env node\n${requireBanner}` },
    // Less to read at each start. Names stay, so that stack traces in logs can be read.
    minifyWhitespace: true,
    minifySyntax: true,
    plugins: [...common.plugins, withoutBallast()],
  }),
  // core/formats as one module for browsers, without imports.
  formats: async () => ({
    ...common,
    entryPoints: ['core/formats/index.ts'],
    outbase: 'core/formats',
    outdir: 'dist/formats',
    entryNames: 'formats',
    platform: 'browser',
    target: 'es2022',
    banner: {},
    legalComments: 'none',
    minify: true,
    plugins: [],
  }),
  // The element of core/player: a module that defines it, for pages, and one for bundlers.
  player: async () => ({
    ...common,
    entryPoints: { player: 'core/player/index.ts', 'motion-photo': 'core/player/define.ts' },
    outdir: 'dist/player',
    // Many web servers know no type for the other ending, and browsers run no module without one.
    outExtension: { '.js': '.js' },
    platform: 'browser',
    target: 'es2022',
    banner: {},
    legalComments: 'none',
    minify: true,
    plugins: [minifiedStyles()],
  }),
  // The door of the npm package to `core/easytier`, with the adapters that it needs on Node.
  easytier: async () => ({
    ...common,
    entryPoints: { easytier: 'local-runner/library/easytier.ts' },
    outdir: 'dist/easytier',
    minifyWhitespace: true,
    minifySyntax: true,
  }),
  // What `npm run dist` puts into executables: they take CommonJS only. Not built by this file itself.
  executables: async () => ({
    ...common,
    external,
    entryPoints: { room: 'local-runner/room.ts', 'lantern-room': 'local-runner/main.ts' },
    format: 'cjs',
    target: 'node22',
    outExtension: { '.js': '.cjs' },
    banner: {},
    sourcemap: false,
    legalComments: 'none',
    minifyWhitespace: true,
    minifySyntax: true,
    plugins: [assembledWat(), wholePages(packed), withoutExamples(), withoutBallast()],
  }),
  tests: async () => ({
    ...common,
    external: installedPackages(),
    legalComments: 'none',
    banner: {},
    entryPoints: (await sources('tests', TEST_PROGRAMS)).filter(isWantedTest),
  }),
}

/** What tests load as it was installed: all packages but our own below `core`, whose sources Node cannot run. */
function installedPackages() {
  const all = { ...manifest.dependencies, ...manifest.optionalDependencies, ...manifest.devDependencies }
  return Object.keys(all).filter((name) => !name.startsWith('@lantern-room/'))
}

// The planted bugs of tests/plants import the options of the tests.
if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) await main()

async function main() {
  const startedAt = performance.now()
  const outcome = await buildWanted()
  // Its process would otherwise run as long as the program that this one becomes.
  if (program !== undefined) await esbuild?.stop()
  if (outcome === undefined) {
    process.exitCode = 1
    return
  }
  const { files, hasFfmpeg } = outcome
  const sentence = `built ${files} files in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`
  if (program !== undefined && !runsTests) {
    // Standard output is left to the program.
    if (files > 0) console.error(sentence)
  } else console.log(files > 0 || !onlyIfStale ? sentence : 'nothing to build')
  // npm's shell may have been stopped during the build.
  if (program !== undefined && process.ppid === parent) await runWanted(hasFfmpeg)
}

/** @returns undefined after a failure, which has been printed; else how many files were built, and whether tests need an ffmpeg */
async function buildWanted() {
  const first = await bringAllUpToDate(wantedGroups())
  if (first === undefined || !onlySomeTests || !runsTests)
    return first && { files: first.files, hasFfmpeg: true }
  const { product, hasFfmpeg } = neededBy(first.testTexts)
  const second = await bringAllUpToDate(product)
  return second && { files: first.files + second.files, hasFfmpeg }
}

async function runWanted(hasFfmpeg) {
  if (!runsTests) await run(`local-runner/${program}.mjs`, programArguments)
  else if (!hasFfmpeg || isFfmpegInstalled()) await run('tests/run.mjs', programArguments)
  else process.exitCode = 1
}

/** @returns undefined after a failure, which has been printed */
async function bringAllUpToDate(folders) {
  const outcomes = await Promise.allSettled(folders.map(bringUpToDate))
  const reasons = outcomes.filter(({ status }) => status === 'rejected').map(({ reason }) => reason)
  // esbuild has already printed its message about a source that does not build; what else went wrong is printed here, once for all groups.
  const unsaid = reasons.filter(({ errors }) => errors === undefined)
  for (const text of new Set(unsaid.map(({ cause, message, stack }) => (cause ? message : stack))))
    console.error(text)
  if (reasons.length > 0) return undefined
  return {
    files: outcomes.reduce((sum, { value }) => sum + value.files, 0),
    testTexts: outcomes.flatMap(({ value }) => value.testTexts),
  }
}

function wantedGroups() {
  if (program !== undefined && !runsTests) return ['local-runner']
  if (onlySomeTests) return ['tests']
  return withTests ? [...PRODUCT, 'tests'] : PRODUCT
}

/** What the chosen tests need besides themselves: parts of the product, and an ffmpeg, which a program of the product installs. */
function neededBy(testTexts) {
  const named = new Set(
    testTexts.flatMap((text) => [...text.matchAll(NAMED_PRODUCT)].map(([, name]) => name)),
  )
  const hasFfmpeg =
    named.has('handlers') ||
    named.has('local-runner') ||
    testTexts.some((text) => text.includes(FFMPEG_SEARCH))
  if (hasFfmpeg) named.add('local-runner')
  return { product: PRODUCT.filter((name) => named.has(name)), hasFfmpeg }
}

function isFfmpegInstalled() {
  const path = join(root, 'dist/local-runner/installFfmpeg.mjs')
  return spawnSync(process.execPath, [path], { cwd: root, stdio: 'inherit' }).status === 0
}

/** Runs a built program in this process, as if it had been started by its own name. @param name below `dist` */
async function run(name, args) {
  const path = join(root, 'dist', name)
  process.argv.splice(1, process.argv.length, path, ...args)
  await import(pathToFileURL(path).href)
}

/**
 * Where the AWS SDK looks for credentials outside of Lambda, which always has them in the environment. It loads them
 * when it needs them: on a developer's machine they are found among the installed packages.
 */
function credentialsElsewhere() {
  const kinds = ['http', 'ini', 'login', 'process', 'sso', 'web-identity']
  return [...kinds.map((kind) => `@aws-sdk/credential-provider-${kind}`), '@smithy/credential-provider-imds']
}

/** Assembles WebAssembly text: `import { wasm } from './x.wat'` gives the bytes of the module. */
function assembledWat() {
  return {
    name: 'assembled-wat',
    setup(setup) {
      setup.onLoad({ filter: /\.wat$/ }, async ({ path }) => {
        // Takes a third of a second to load, which most builds do not need.
        const { default: loadWabt } = await import('wabt')
        const assembled = (await loadWabt()).parseWat(path, await readFile(path, 'utf8'), { simd: true })
        assembled.validate()
        return { contents: `export const wasm = Uint8Array.of(${assembled.toBinary({}).buffer})` }
      })
    },
  }
}

/**
 * Makes one file of a web page: `import { page } from './x.page.html'` gives its HTML with the head, the styles and the script
 * that it names inside, and the Content-Security-Policy that admits these two and no others.
 */
function wholePages(write = JSON.stringify) {
  const built = new Map()
  return {
    name: 'whole-pages',
    setup(setup) {
      setup.onLoad({ filter: /\.page\.html$/ }, async ({ path }) => {
        if (!built.has(path)) built.set(path, buildPage(setup.esbuild, path))
        return { contents: `export const page = ${write(await built.get(path))}` }
      })
    },
  }
}

/** A page as a download has it, unpacked when it is asked for first: three quarters of what a ZIP makes of it. */
function packed(page) {
  const parts = Object.entries(page).filter(([, text]) => text !== undefined)
  const json = Buffer.from(JSON.stringify(Object.fromEntries(parts)))
  const bytes = brotliCompressSync(json, { params: { [constants.BROTLI_PARAM_LGWIN]: 24 } })
  const getters = parts.map(([name]) => `get ${name}() { return part(${JSON.stringify(name)}) }`)
  return `(() => {
  const { brotliDecompressSync } = require('node:zlib')
  let parts
  const part = (name) => (parts ??= JSON.parse(brotliDecompressSync(Buffer.from('${bytes.toString('base64')}', 'base64'))))[name]
  return { ${getters.join(', ')} }
})()`
}

async function buildPage({ build }, path) {
  const includeTag = /<!-- include (\S+) -->\n/
  const template = await readFile(path, 'utf8')
  const included = join(dirname(path), includeTag.exec(template)[1])
  const head = await readFile(included, 'utf8')
  const source = template.replace(includeTag, () => head)
  const styleTag = /<link rel="stylesheet" href="([^"]+)">/
  const scriptTag = /<script src="([^"]+)"><\/script>/
  const [[, styleName], [, scriptName]] = [styleTag.exec(source), scriptTag.exec(source)]
  const [serviceWorker, photoWorker] = ['serviceWorker.ts', 'photo/worker.ts'].map((name) =>
    path.replace(/\.page\.html$/, `/${name}`),
  )
  const options = {
    absWorkingDir: root,
    outdir: 'page',
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'iife',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: common.define,
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
    write: false,
    plugins: [
      withoutRandomness(),
      withoutSignalsInElements(),
      withoutSources(),
      withoutExamples(),
      withoutClipSearch(),
      minifiedStyles(),
    ],
  }
  const textOf = ({ outputFiles }, ending) =>
    outputFiles.find((file) => file.path.endsWith(ending))?.text.trim()
  // It draws nothing itself, and needs no more of JSX than what is written.
  const alias = { 'preact/jsx-runtime': path.replace(/\.page\.html$/, '/takeout/drawn.ts') }
  const worker = existsSync(photoWorker)
    ? await build({ ...options, entryPoints: [photoWorker], alias })
    : undefined
  const workerScript = worker && ownWorker(textOf(worker, '.js'))
  options.define = { ...options.define, __WORKER__: JSON.stringify(workerScript?.name ?? '') }
  const own = [styleName, scriptName].map((name) => join(dirname(path), name))
  const entryPoints = [...own, ...(existsSync(serviceWorker) ? [serviceWorker] : [])]
  const [page, wait] = await Promise.all([
    build({ ...options, entryPoints }),
    build({ ...options, stdin: { contents: WAIT, resolveDir: dirname(path), sourcefile: WAIT_ENTRY } }),
  ])
  const inputs = [page, wait, ...(worker ? [worker] : [])].flatMap(({ metafile }) =>
    Object.keys(metafile.inputs),
  )
  const sources = inputs.filter((input) => !input.endsWith(WAIT_ENTRY))
  sourcesOfPages.set(nameOf(path), [...sources, nameOf(included)])
  const style = textOf(page, '.css')
  // One function around the whole: `import()` would wrap each module. In brackets, so that it is parsed once, and not again in the
  // task that calls it.
  const script = `const startPage=(()=>{${textOf(page, 'start.js')}});${textOf(wait, '.js')}`
  const html = source
    .replace(styleTag, () => `<style>${style}</style>`)
    .replace(scriptTag, () => `<script>${script}</script>`)
  const serviceWorkerScript = textOf(page, '/serviceWorker.js')
  const manifestPath = path.replace(/\.page\.html$/, '/manifest.json')
  const manifest = existsSync(manifestPath)
    ? JSON.stringify(JSON.parse(await readFile(manifestPath, 'utf8')))
    : undefined
  if (manifest) sourcesOfPages.get(nameOf(path)).push(nameOf(manifestPath))
  const built = { html, styleHash: hashOf(style), scriptHash: hashOf(script), worker: workerScript?.text }
  builtPages.set(nameOf(path), { ...built, serviceWorker: serviceWorkerScript, manifest })
  const names = `\n<meta name="worker" content="?worker">\n<link rel="manifest" href="?manifest">`
  const served = manifest ? html.replace('<head>', () => `<head>${names}`) : html
  return {
    ...built,
    html: served,
    serviceWorker: manifest && serviceWorkerScript,
    manifest,
  }
}

/** The script of a worker, which refuses to work for a page of another version: the page gives it the name that it expects. */
function ownWorker(script) {
  const name = hashOf(script)
  return { name, text: `if(self.name!==${JSON.stringify(name)})throw Error("other version");${script}` }
}

/** A path as esbuild names it: from the project's top, with slashes. */
function nameOf(path) {
  return relative(root, path).split(sep).join('/')
}

/** Each page that was built, as files for a bucket, which sends no policy: it has one of its own, and names its workers. */
function pageFiles() {
  return [...builtPages].flatMap(
    ([path, { html, styleHash, scriptHash, worker, serviceWorker, manifest }]) => {
      const to = join(root, 'dist', path.replace(/\.page\.html$/, ''))
      const page = basename(to)
      const own = "'self' https:"
      const asks = `connect-src ${own}; img-src ${own} blob: data:; media-src ${own} blob:`
      const may = path === STATIC_PAGE ? 'img-src data:' : asks
      const policy = `default-src 'none'; script-src '${scriptHash}'; style-src '${styleHash}'; ${may}; base-uri 'none'; form-action 'none'${serviceWorker ? "; worker-src 'self'" : ''}${manifest ? "; manifest-src 'self'" : ''}`
      const meta = `<meta http-equiv="Content-Security-Policy" content="${policy}">`
      const workerName = serviceWorker ? `\n<meta name="worker" content="${page}-worker.js">` : ''
      const manifestName = manifest ? `\n<link rel="manifest" href="${page}.webmanifest">` : ''
      const whole = html
        .replace('<head>', `<head>\n${meta}${workerName}${manifestName}`)
        .replace('content="?script"', `content="${page}-photos.js"`)
      const scripts = { worker: serviceWorker, photos: worker }
      return [
        { path: `${to}.html`, contents: Buffer.from(whole) },
        ...(manifest
          ? [{ path: `${to}.webmanifest`, contents: Buffer.from(manifestNaming(`./${page}.html`, manifest)) }]
          : []),
        ...Object.entries(scripts)
          .filter(([, script]) => script !== undefined)
          .map(([name, script]) => ({ path: `${to}-${name}.js`, contents: Buffer.from(script) })),
      ]
    },
  )
}

/** In a bucket a page has its name only: a folder need not lead to it. */
function manifestNaming(page, manifest) {
  const { share_target: shareTarget, ...all } = JSON.parse(manifest)
  const target = { ...shareTarget, action: `${page}?share` }
  return JSON.stringify({ ...all, start_url: page, share_target: target })
}

/** As a Content-Security-Policy names the text of an element. */
function hashOf(text) {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

/** Pages read room codes and make none: what makes them needs Node. */
function withoutRandomness() {
  return {
    name: 'without-randomness',
    setup(setup) {
      setup.onResolve({ filter: /^node:crypto$/ }, ({ path }) => ({
        path,
        namespace: 'none',
        sideEffects: false,
      }))
      setup.onLoad({ filter: /^/, namespace: 'none' }, () => ({ contents: 'module.exports = {}' }))
    },
  }
}

/** The style sheet of the element for pages, which is a text of its script, as other sheets are minified. */
function minifiedStyles() {
  return {
    name: 'minified-styles',
    setup(setup) {
      setup.onLoad({ filter: /player[/\\]element[/\\]styles\.ts$/ }, async ({ path }) => {
        const [, sheet] = /`([^`]+)`/.exec(await readFile(path, 'utf8'))
        const { code } = await setup.esbuild.transform(sheet, { loader: 'css', minify: true })
        return { contents: `export const STYLES = ${JSON.stringify(code.trim())}`, loader: 'ts' }
      })
    },
  }
}

/**
 * Signals are read in components only: what shows them as texts and attributes of their own is half of the package. An update of it
 * that looks otherwise fails the build.
 */
function withoutSignalsInElements() {
  const parts = [
    [',m="undefined"', ',_=[]'],
    ['a(function(){h=this.N})();', 'function b('],
    ['var n;if(m)', 'i.__$f|=1'],
    ['function w(i)', 'b("__b"'],
    ['if("string"==typeof n.type){var r,t=n.props', 'i(n)});b("__r"'],
    ['var r;if("string"==typeof n.type&&(r=n.__e)', 'i(n)});function k('],
    ['function k(', 'b("unmount"'],
    ['if("string"==typeof n.type){var r=n.__e', '{var c=n.__c;'],
  ]
  return {
    name: 'without-signals-in-elements',
    setup(setup) {
      setup.onLoad({ filter: /signals[/\\]dist[/\\]signals\.module\.js$/ }, async ({ path }) => {
        const contents = parts.reduce(withoutPart, await readFile(path, 'utf8'))
        return { contents, resolveDir: dirname(path) }
      })
    },
  }
}

function withoutPart(source, [from, to]) {
  const start = source.indexOf(from)
  const end = source.indexOf(to, start)
  if (start < 0 || end < 0) throw new Error(`There is no ${from} in @preact/signals.`)
  return source.slice(0, start) + source.slice(end)
}

/**
 * Pages name the phones on which our photos play, and not where that was reported, which docs/phones.md does; and they say what is
 * wrong with a photo, and not what a repair would do. What does not hold of a photo that was just written is for logs.
 */
function withoutSources() {
  const load = (setup, name, shorten) =>
    setup.onLoad({ filter: new RegExp(`[/\\\\]${name}\\.json$`) }, async ({ path }) => ({
      contents: JSON.stringify(shorten(JSON.parse(await readFile(path, 'utf8')))),
      loader: 'json',
    }))
  let equations = 0
  return {
    name: 'without-sources',
    setup(setup) {
      load(setup, 'reports', (reports) =>
        reports
          .filter(({ result, profile }) => result === 'works' && profile !== null)
          .map(({ what, url, date, ...report }) => report),
      )
      setup.onLoad({ filter: /[/\\]motionPhoto[/\\]equations\.ts$/ }, async ({ path }) => ({
        contents: (await readFile(path, 'utf8')).replaceAll(/^ {4}(["']).+?\1:/gm, () => `e${equations++}:`),
        loader: 'ts',
      }))
      load(setup, 'checks', (checks) =>
        Object.fromEntries(
          Object.entries(checks).map(([name, { problem, repair }]) => [
            name,
            { problem, repair: repair && '' },
          ]),
        ),
      )
    },
  }
}

/** Of the rules of names only what the code goes by. */
function withoutExamples() {
  return {
    name: 'without-examples',
    setup(setup) {
      setup.onLoad({ filter: /[/\\]takeout[/\\]rules\.json$/ }, async ({ path }) => {
        const rules = Object.entries(JSON.parse(await readFile(path, 'utf8')))
        const kept = rules.map(([name, { says, examples, not, sources, ...rule }]) => [name, rule])
        return { contents: JSON.stringify(Object.fromEntries(kept)), loader: 'json' }
      })
    },
  }
}

/** Pages name the clip of each photo that they show: what finds one in a file is half of the player. */
function withoutClipSearch() {
  return {
    name: 'without-clip-search',
    setup(setup) {
      setup.onLoad({ filter: /[/\\]player[/\\]clip[/\\]loadClip\.ts$/ }, () => ({
        contents: 'export const loadClip = () => Promise.reject(Error("this page names its clips"))',
      }))
    },
  }
}

/** Leaves out what packages bring along and no function needs: a third of a bundle. */
function withoutBallast() {
  const load = (setup, path, contents) =>
    setup.onLoad({ filter: new RegExp(`[/\\\\]${path.replaceAll('/', '[/\\\\]')}$`) }, async (file) => ({
      contents: contents(await readFile(file.path, 'utf8')),
      resolveDir: dirname(file.path),
    }))
  return {
    name: 'without-ballast',
    setup(setup) {
      // Messages in fifty languages, of which we use none: ours name the field.
      load(setup, 'zod/v4/locales/index.js', () => "export { default as en } from './en.js'")
      // Schemas compiled ahead: we have none.
      load(
        setup,
        'zod/v4/core/compile.js',
        () =>
          'export const INVALID = undefined, compile = undefined, withParser = undefined,' +
          ' ZodCompileAsyncError = undefined, ZodCompileUnsupportedError = undefined',
      )
      // JSON Schema out of schemas: another package makes our documents.
      for (const path of ['zod/v4/core/index.js', 'zod/v4/classic/external.js'])
        load(setup, path, (source) => source.replaceAll(/^export .*json-schema(-\w+)?\.js";$/gm, ''))
      load(setup, 'zod/v4/classic/schemas.js', (source) =>
        source
          .replaceAll(/^ +inst\._zod\.processJSONSchema = .*;$/gm, '')
          .replaceAll(/\bcreate(Standard|To)JSONSchemaMethod\(this, [^)]*\)/g, 'undefined'),
      )
      // Of S3 what is used, as one module: bundlers keep the whole of modules that wait until they are needed.
      setup.onLoad(
        { filter: /[/\\]@aws-sdk[/\\]client-s3[/\\]dist-es[/\\]index\.js$/ },
        async ({ path }) => ({
          contents: await ofS3(setup.esbuild, path),
          resolveDir: dirname(path),
        }),
      )
      // The only import in the SDK that waits until it is needed, for streams of events, of which we use none. A bundler
      // must keep whole what is imported so, and all that it stands on.
      load(setup, '@smithy/core/dist-es/submodules/protocols/HttpProtocol.js', (source) =>
        source.replace('await import("@smithy/core/event-streams")', '{}'),
      )
    },
  }
}

/** What our sources import of the client of S3, as one module. */
async function ofS3({ build }, index) {
  const commands = ['CopyObject', 'DeleteObjects', 'GetObject', 'HeadObject', 'PutObject', 'UploadPart']
  const ofParts = ['AbortMultipartUpload', 'CompleteMultipartUpload', 'CreateMultipartUpload']
  const names = [
    'S3Client',
    'paginateListObjectsV2',
    ...[...commands, ...ofParts].map((name) => `${name}Command`),
  ]
  const { outputFiles } = await build({
    stdin: { contents: `export { ${names} } from ${JSON.stringify(index)}`, resolveDir: root },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    // Shapes of all that S3 can do. Their keys are constants (`[_hE]: 403`), which might do anything as far as a
    // bundler knows; as literals (`"httpError": 403`) it sees which shapes nobody uses.
    plugins: [
      {
        name: 'literal-keys',
        setup(setup) {
          setup.onLoad({ filter: /[/\\]schemas_0\.js$/ }, async ({ path }) => {
            const source = await readFile(path, 'utf8')
            const constants = new Map(
              [...source.matchAll(/^const (_\w+) = ("[^"]*");$/gm)].map(([, name, text]) => [name, text]),
            )
            return {
              contents: source.replaceAll(/\[(_\w+)\]:/g, (key, name) =>
                constants.has(name) ? `${constants.get(name)}:` : key,
              ),
            }
          })
        },
      },
    ],
  })
  return outputFiles[0].text
}

/**
 * Takes from Node's own modules what is used. An `import` of one makes a copy of it first and reads all that is in it,
 * which would open standard input and load WebCrypto at every cold start.
 */
function withPlainBuiltins() {
  const names = builtinModules.filter((name) => !name.startsWith('_')).join('|')
  const builtin = (path) => `process.getBuiltinModule(${JSON.stringify(path)})`
  return {
    name: 'with-plain-builtins',
    setup(setup) {
      setup.onResolve({ filter: new RegExp(`^(node:)?(${names})$`) }, ({ path, kind }) => ({
        path: path.startsWith('node:') ? path : `node:${path}`,
        namespace: kind === 'require-call' ? 'required-builtin' : 'builtin',
      }))
      setup.onLoad({ filter: /^/, namespace: 'required-builtin' }, ({ path }) => ({
        contents: `module.exports = ${builtin(path)}`,
      }))
      setup.onLoad({ filter: /^/, namespace: 'builtin' }, ({ path }) => {
        const own = Object.getOwnPropertyNames(process.getBuiltinModule(path))
        const exported = own.filter((name) => /^[A-Za-z_]\w*$/.test(name) && name !== 'default')
        // Called and marked as pure, each goes where nobody uses it.
        const lines = exported.map(
          (name) => `export const ${name} = /* @__PURE__ */ (() => builtin.${name})()`,
        )
        return {
          contents: [`const builtin = ${builtin(path)}`, 'export { builtin as default }', ...lines].join(
            '\n',
          ),
        }
      })
    },
  }
}

/** @returns how many files were built, and the texts of the tests that words have chosen */
async function bringUpToDate(folder) {
  const options = await groups[folder]()
  const isPartial = folder === 'tests' && onlySomeTests
  if (onlyIfStale && !isPartial && (await isUpToDate(folder, options))) return { files: 0, testTexts: [] }
  const buildStart = Date.now()
  const { inputs, outputFiles: allFiles } = await bundle(options)
  // Of the page that no host imports only the HTML is wanted.
  const outputFiles = allFiles.filter(({ path }) => !/\.page\.mjs/.test(path))
  if (folder === 'local-runner') outputFiles.push(...pageFiles())
  for (const file of outputFiles) await put(file)
  const outputs = outputFiles.map(({ path }) => path)
  if (!isPartial) {
    await removeStale(folder, new Set(outputs))
    await writeStamp(folder, options, { inputs, outputs, buildStart })
    return { files: outputs.length, testTexts: [] }
  }
  const testTexts = outputFiles.filter(({ path }) => path.endsWith('.test.mjs')).map(({ text }) => text)
  await removeDeletedTests(new Set(outputs))
  const files = outputs.length + (await buildNamedTests(options, testTexts))
  return { files, testTexts }
}

/**
 * Of the workers and other programs those that the chosen tests name: `support/process/portWorker`. The runner's own tests run
 * other test files, and name the folder of them.
 * @returns how many files were built
 */
async function buildNamedTests(options, testTexts) {
  const folders = testTexts.flatMap((text) => [...text.matchAll(NAMED_TESTS)].map(([, name]) => `${name}/`))
  const isNamed = (path) => {
    const name = path.slice('tests/'.length, -'.ts'.length)
    const isProgram = !path.endsWith('.test.ts') && testTexts.some((text) => text.includes(name))
    return isProgram || folders.some((folder) => path.startsWith(folder))
  }
  const built = new Set(options.entryPoints)
  const entryPoints = (await sources('tests', TEST_PROGRAMS)).filter(
    (path) => !built.has(path) && isNamed(path),
  )
  const { outputFiles } = await bundle({ ...options, entryPoints })
  for (const file of outputFiles) await put(file)
  return outputFiles.length
}

async function bundle(options) {
  if (options.entryPoints.length === 0) return { inputs: [], outputFiles: [] }
  // Loaded only here: a start of what is up to date does not need it.
  esbuild = await import('esbuild').catch((cause) => {
    throw new Error('esbuild is not installed. Run `npm ci` first.', { cause })
  })
  const { metafile, outputFiles } = await esbuild.build(options)
  const inputs = Object.keys(metafile.inputs)
  return { inputs: inputs.flatMap((input) => [input, ...(sourcesOfPages.get(input) ?? [])]), outputFiles }
}

// A stamp names every file that a group was built from and into. The group is stale when one of them has changed or is
// missing, or when the list of its entry points is another one; the handlers also with another Node, whose modules they name.

function stampPath(folder) {
  return join(root, 'dist/stamps', `${folder}.json`)
}

async function isUpToDate(folder, options) {
  const text = await readFile(stampPath(folder), 'utf8').catch(() => undefined)
  if (text === undefined) return false
  const stamp = JSON.parse(text)
  return (
    stamp.builtBy === builtBy(folder, options) &&
    stamp.files.every(([path, state]) => stateOf(path) === state)
  )
}

async function writeStamp(folder, options, { inputs, outputs, buildStart }) {
  // Modules of a plugin's namespace are kept where they stand for a file.
  const paths = inputs.map((input) => input.replace(/^[\w-]+:/, ''))
  const sourceFiles = [...new Set([...paths, ...BUILD_FILES])].filter((path) => stateOf(path) !== undefined)
  const files = [...sourceFiles, ...outputs.map((path) => relative(root, path))]
  const stamp = { builtBy: builtBy(folder, options), files: files.map((path) => [path, stateOf(path)]) }
  // What changes during a build may be in it or not.
  const isUncertain = sourceFiles.some((path) => changedAt(path) > buildStart - CLOCK_GRAIN_MS)
  if (isUncertain) await rm(stampPath(folder), { force: true })
  else await put({ path: stampPath(folder), contents: Buffer.from(JSON.stringify(stamp)) })
}

function builtBy(folder, { entryPoints }) {
  return JSON.stringify([folder === 'handlers' ? process.version : '', epoch ?? '', entryPoints])
}

/** Differs after every change of a file; undefined when there is no such file. */
function stateOf(path) {
  const found = statSync(join(root, path), { bigint: true, throwIfNoEntry: false })
  return found?.isFile() ? `${found.size} ${found.mtimeNs} ${found.ctimeNs}` : undefined
}

function changedAt(path) {
  return statSync(join(root, path)).ctimeMs
}

// Replaced whole and only when different, so that a program started from dist/ never reads half a file.
async function put({ path, contents }) {
  const old = await readFile(path).catch(() => undefined)
  if (old?.equals(contents)) return
  await mkdir(dirname(path), { recursive: true })
  const temporary = `${path}.${process.pid}.tmp`
  await writeFile(temporary, contents)
  if (contents[0] === 0x23 && contents[1] === 0x21) await chmod(temporary, 0o755)
  await rename(temporary, path)
}

async function removeStale(folder, written) {
  for (const path of await filesBelow(join(root, 'dist', folder)))
    if (!written.has(path) && !path.endsWith('.tmp')) await rm(path, { force: true })
}

/** Words choose among what was built: a test whose source is gone must not run with the others. */
async function removeDeletedTests(written) {
  for (const path of await filesBelow(join(root, 'dist/tests'))) {
    const isChosen = path.endsWith('.test.mjs') && hasWord(nameOf(path).slice('dist/'.length))
    if (isChosen && !written.has(path)) await rm(path, { force: true })
  }
}

function isWantedTest(path) {
  if (!onlySomeTests || hasWord(path)) return true
  // What else a run of tests starts is known once they are built.
  return runsTests ? RUNNER.includes(path) : /run\.ts$|orker\.ts$/.test(path)
}

function hasWord(path) {
  return words.some((word) => path.toLowerCase().includes(word.toLowerCase()))
}

function readArguments(args) {
  const at = args.indexOf('--run')
  const own = at < 0 ? args : args.slice(0, at)
  const programArguments = at < 0 ? [] : args.slice(at + 2)
  const program = at < 0 ? undefined : args[at + 1]
  const ofTests = { args: programArguments, allowPositionals: true, options: RUN_OPTIONS }
  return {
    flags: own.filter((argument) => argument.startsWith('-')),
    words:
      program === 'tests'
        ? parseArgs(ofTests).positionals
        : own.filter((argument) => !argument.startsWith('-')),
    program,
    programArguments,
  }
}

async function sources(folder, pattern, except = []) {
  return (await filesBelow(join(root, folder)))
    .map((path) => relative(join(root, folder), path).split(sep).join('/'))
    .filter((path) => pattern.test(path) && !except.includes(path) && !path.endsWith('.d.ts'))
    .sort()
    .map((path) => `${folder}/${path}`)
}

/** Without the packages that a folder of tests has for itself. */
async function filesBelow(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return files.filter((path) => !path.slice(folder.length).split(sep).includes('node_modules'))
}
