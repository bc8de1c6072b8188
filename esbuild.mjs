// The one build file.
//   node esbuild.mjs                  handlers and local runner → dist/
//   node esbuild.mjs --tests          the same and all tests → dist/tests/
//   node esbuild.mjs --tests session  only the tests whose path contains the word: the quick loop while writing one
import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = dirname(fileURLToPath(import.meta.url))
const startedAt = performance.now()
const words = process.argv.slice(2).filter((argument) => !argument.startsWith('-'))
const withTests = process.argv.includes('--tests')
const onlySomeTests = withTests && words.length > 0

const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
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
}

// These hold native code or look for a file beside themselves, so they cannot live inside a bundle.
const external = ['ffmpeg-static', 'sharp']

const builds = [
  {
    folder: 'handlers',
    options: {
      ...common,
      external: [...external, ...credentialsElsewhere()],
      entryPoints: await sources('handlers', /^[^/]+\.ts$/, ['compose.ts']),
      // A function that is loaded from cold waits for every byte. The maps stay here, for stacks in logs.
      minify: true,
      sourcemap: 'external',
      plugins: [withoutUnused(), withoutBallast(), withPlainBuiltins()],
    },
  },
  {
    folder: 'local-runner',
    options: {
      ...common,
      external,
      entryPoints: await sources('local-runner', /^(main|media|motionPhoto|room|ensureFfmpeg)\.ts$/),
      banner: { js: `#!/usr/bin/env node\n${requireBanner}` },
      // Less to read at each start. Names stay, so that a stack in somebody's log tells something.
      minifyWhitespace: true,
      minifySyntax: true,
      plugins: [withoutBallast()],
    },
  },
]
const testBuild = {
  folder: 'tests',
  options: {
    ...common,
    packages: 'external',
    legalComments: 'none',
    banner: {},
    entryPoints: (
      await sources(
        'tests',
        /\.test\.ts$|^bench\/[^/]+\.ts$|^(figures\/|plants\/)?run\.ts$|^support\/(.*\/)?\w*[wW]orker\.ts$/,
      )
    ).filter(
      (path) =>
        !onlySomeTests ||
        /run\.ts$|orker\.ts$/.test(path) ||
        words.some((word) => path.toLowerCase().includes(word.toLowerCase())),
    ),
  },
}

const wanted = onlySomeTests ? [testBuild] : withTests ? [...builds, testBuild] : builds
const outcomes = await Promise.allSettled(wanted.map(run))
// esbuild has printed its own message for a source that does not build; anything else is ours to show.
for (const { reason } of outcomes.filter(({ status }) => status === 'rejected')) {
  if (reason.errors === undefined) console.error(reason)
  process.exitCode = 1
}
if (process.exitCode !== 1) {
  const files = outcomes.reduce((sum, { value }) => sum + value, 0)
  console.log(`built ${files} files in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
}

/**
 * Where the AWS SDK looks for credentials outside of Lambda, which always has them in the environment. It loads them
 * when it needs them: on a developer's machine they are found among the installed packages.
 */
function credentialsElsewhere() {
  const kinds = ['http', 'ini', 'login', 'process', 'sso', 'web-identity']
  return [...kinds.map((kind) => `@aws-sdk/credential-provider-${kind}`), '@smithy/credential-provider-imds']
}

/** Leaves out modules of ours of which nothing is used: to load one does nothing by itself. */
function withoutUnused() {
  const isOurs = (path) => ['core', 'handlers'].includes(relative(root, path).split(sep)[0])
  return {
    name: 'without-unused',
    setup(setup) {
      setup.onResolve({ filter: /^\.\.?\// }, async ({ path, pluginData, ...from }) => {
        if (pluginData === 'resolving' || !isOurs(from.importer)) return undefined
        const found = await setup.resolve(path, { ...from, pluginData: 'resolving' })
        return { ...found, sideEffects: false }
      })
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
      // Schemas out of JSON Schema, and schemas compiled ahead: we do neither.
      load(setup, 'zod/v4/classic/from-json-schema.js', () => 'export const fromJSONSchema = undefined')
      load(
        setup,
        'zod/v4/core/compile.js',
        () =>
          'export const INVALID = undefined, compile = undefined, withParser = undefined,' +
          ' ZodCompileAsyncError = undefined, ZodCompileUnsupportedError = undefined',
      )
      // Shapes of all that S3 can do. Their keys are constants (`[_hE]: 403`), which might do anything as far as a
      // bundler knows; as literals (`"httpError": 403`) it sees which shapes nobody uses.
      load(setup, '@aws-sdk/client-s3/dist-es/schemas/schemas_0.js', (source) => {
        const constants = new Map(
          [...source.matchAll(/^const (_\w+) = ("[^"]*");$/gm)].map(([, name, text]) => [name, text]),
        )
        return source.replaceAll(/\[(_\w+)\]:/g, (key, name) =>
          constants.has(name) ? `${constants.get(name)}:` : key,
        )
      })
      // The only import in the SDK that waits until it is needed, for streams of events, of which we use none. A bundler
      // must keep whole what is imported so, and all that it stands on.
      load(setup, '@smithy/core/dist-es/submodules/protocols/HttpProtocol.js', (source) =>
        source.replace('await import("@smithy/core/event-streams")', '{}'),
      )
    },
  }
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

async function run({ folder, options }) {
  const files = options.entryPoints.length === 0 ? [] : (await build(options)).outputFiles
  for (const file of files) await put(file)
  if (!onlySomeTests) await removeStale(folder, new Set(files.map(({ path }) => path)))
  return files.length
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

async function sources(folder, pattern, except = []) {
  return (await filesBelow(join(root, folder)))
    .map((path) => relative(join(root, folder), path).split(sep).join('/'))
    .filter((path) => pattern.test(path) && !except.includes(path) && !path.endsWith('.d.ts'))
    .sort()
    .map((path) => `${folder}/${path}`)
}

async function filesBelow(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}
