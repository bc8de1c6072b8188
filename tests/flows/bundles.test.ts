import { existsSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { builtinModules, createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { projectRoot } from '#support/process/serverProcess'
import { assert, suite } from '#support/runner/suite'

// What is in the bundles of the functions: they are all that is deployed.

const test = suite('the bundles of the functions')
const folder = join(projectRoot, 'dist/handlers')
const MAX_BYTES = 920_000
/** Loaded only when they are needed, and never on Lambda, where credentials are in the environment. */
const CREDENTIALS = /^(@aws-sdk\/credential-provider-[\w-]+|@smithy\/credential-provider-imds)$/
/** Modules that only some functions need, and which functions those are. */
const OWN_MODULES: Readonly<Record<string, readonly string[]>> = {
  'core/media/preview/createSession.ts': ['prepare'],
  'core/media/preview/preparePreview.ts': ['motionPhoto', 'prepare'],
  'core/media/photo/apart/photoAnswers.ts': ['photo'],
  'core/adapters/forms/receiveForm.ts': ['convert', 'motionPhoto', 'photo', 'prepare'],
  'node_modules/busboy/lib/index.js': ['convert', 'motionPhoto', 'photo', 'prepare'],
  'core/media/uploads/receiveUpload.ts': ['upload'],
  'core/media/photo/make/convertSession.ts': ['convert'],
  'core/media/photo/make/convertClip.ts': ['convert', 'motionPhoto'],
  'core/media/photo/cover/takeCover.ts': ['convert', 'motionPhoto'],
  'core/formats/newPhoto/assemble.ts': ['convert', 'motionPhoto'],
  'core/mp4/movie/normalizeClip.ts': ['convert', 'motionPhoto'],
  'core/media/photo/make/createMotionPhoto.ts': ['motionPhoto'],
  'core/media/preview/frames/sessionThumbnails.ts': ['thumbnail'],
  'core/adapters/ffmpeg/sharpWebp.ts': ['convert', 'motionPhoto', 'prepare'],
  'core/adapters/process/processRunner.ts': [
    'convert',
    'health',
    'motionPhoto',
    'photo',
    'prepare',
    'thumbnail',
  ],
}
/** What needs them does without, or says so. */
const OPTIONAL = ['sharp', 'ffmpeg-static']
let names: string[] = []

test.before(async () => {
  const handlers = (await readdir(join(projectRoot, 'handlers'))).filter((name) => name.endsWith('.ts'))
  names = handlers.map((name) => name.slice(0, -3)).filter((name) => name !== 'compose')
  assert.ok(names.length >= 9)
})

test('there is one for each handler and none besides', async () => {
  const built = (await readdir(folder)).filter((name) => name.endsWith('.mjs'))
  assert.equal(built.sort(), names.map((name) => `${name}.mjs`).sort())
})

test('none is larger than 920 KB', async () => {
  for (const name of names) {
    const { size } = await stat(join(folder, `${name}.mjs`))
    assert.ok(size <= MAX_BYTES, `${name}.mjs has ${size} bytes`)
  }
})

test('each holds its own code and none of another handler, the local runner, the tests or the tools', async () => {
  for (const name of names) {
    const { sources } = JSON.parse(await readFile(join(folder, `${name}.mjs.map`), 'utf8'))
    const paths = (sources as string[]).map((path) => join('dist/handlers', path))
    const own = paths.filter((path) => !/^node_modules\/|^dist\/handlers\/(required-)?builtin:/.test(path))
    assert.ok(own.includes('handlers/compose.ts'))
    assert.equal(
      own.filter((path) => !/^(core|handlers\/(encoding|ffmpeg|host))\//.test(path)).sort(),
      ['handlers/compose.ts', `handlers/${name}.ts`].sort(),
    )
    assert.equal(
      paths.filter((path) =>
        /node_modules\/(@hono\/node-server|sharp|ffmpeg-static|ws|esbuild|uvu)\//.test(path),
      ),
      [],
    )
    // Left out by the build; see there.
    assert.equal(
      paths.filter((path) => /zod\/v4\/locales\/(?!en\.|index\.)/.test(path)),
      [],
    )
  }
})

test('a module that only some functions need is in no other', async () => {
  const found = new Map<string, string[]>(Object.keys(OWN_MODULES).map((path) => [path, []]))
  for (const name of names) {
    const { sources } = JSON.parse(await readFile(join(folder, `${name}.mjs.map`), 'utf8'))
    for (const source of sources as string[]) found.get(join('dist/handlers', source))?.push(name)
  }
  assert.equal(Object.fromEntries([...found].map(([path, which]) => [path, which.sort()])), OWN_MODULES)
})

test('each needs nothing beside it but Node, and what is never needed on Lambda', async () => {
  for (const name of names) {
    const file = join(folder, `${name}.mjs`)
    const source = await readFile(file, 'utf8')
    const isBuiltin = (specifier: string) => builtinModules.includes(specifier.replace(/^node:/, ''))
    const loaded = [...source.matchAll(/(?:^|[;}])(?:import|export)\b[^"'`;()]*["']([^"'\\]+)["']/gm)].map(
      ([, specifier = '']) => specifier,
    )
    // An import of one of Node's modules reads all that is in it: the rest is asked for past that.
    assert.equal(loaded, ['node:module'])
    const asked = [...source.matchAll(/getBuiltinModule\("([^"]+)"\)/g)].map(
      ([, specifier = '']) => specifier,
    )
    assert.ok(asked.includes('node:crypto'))
    assert.equal(
      asked.filter((specifier) => !isBuiltin(specifier)),
      [],
    )
    assert.not.match(source, /\.webcrypto\b/)
    const later = [...source.matchAll(/import\("([^"]+)"\)/g)].map(([, specifier = '']) => specifier)
    const strangers = later.filter((specifier) => !isBuiltin(specifier))
    const credentials = strangers.filter((specifier) => CREDENTIALS.test(specifier))
    assert.equal(
      strangers.filter((specifier) => !credentials.includes(specifier) && !OPTIONAL.includes(specifier)),
      [],
    )
    // On a developer's machine they are there.
    const { resolve } = createRequire(file)
    for (const specifier of credentials) assert.ok(existsSync(resolve(specifier)), specifier)
    assert.not.match(source, /sourceMappingURL/)
  }
})

test('each exports its handler, and that of prepare what the queue invokes', async () => {
  for (const name of names) {
    const loaded: Record<string, unknown> = await import(pathToFileURL(join(folder, `${name}.mjs`)).href)
    assert.equal(Object.keys(loaded).sort(), name === 'prepare' ? ['handler', 'queued'] : ['handler'])
    for (const handler of Object.values(loaded)) assert.type(handler, 'function')
  }
})

test.run()
