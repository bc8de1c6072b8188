import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { film, mediaFolderOfSuite } from '#support/media/media'
import { readMotionPhoto } from '#support/media/readMotionPhoto'
import { startRelay } from '#support/network/relay'
import { projectRoot } from '#support/process/serverProcess'
import { assert, suite } from '#support/runner/suite'

// What `npm pack` makes of the built programs, in a project where there is nothing else: its programs start, and the examples of the
// library's pages compile and run there as they stand.

const test = suite('the package for npm', { timeoutMs: 120_000 })
const run = promisify(execFile)
const folder = await mediaFolderOfSuite()
const installed = folder.path('node_modules/lantern-room')
const compiler = join(projectRoot, 'node_modules/typescript/bin/tsc')
const manifest: { readonly version: string; readonly bin: Readonly<Record<string, string>> } = JSON.parse(
  await readFile(join(projectRoot, 'package.json'), 'utf8'),
)
/** As `npx tsc --init` proposes it, for a program on Node whose libraries are checked as well. */
const STRICT = { strict: true, target: 'es2022', module: 'nodenext', lib: ['es2023', 'dom'], types: ['node'] }
const PAGES = {
  formats: ['make', 'read', 'repair', 'live', 'page'],
  easytier: ['answers', 'asks'],
  player: ['element'],
} as const

test.before(async () => {
  const { stdout } = await run('npm', ['pack', '--pack-destination', folder.path('')], { cwd: projectRoot })
  const archive = stdout.trim().split('\n').at(-1) ?? ''
  await run('tar', ['-xf', folder.path(archive), '-C', folder.path('')])
  await mkdir(folder.path('node_modules'))
  await rename(folder.path('package'), installed)
  await writeFile(folder.path('package.json'), '{ "type": "module" }')
  const typeRoots = [join(projectRoot, 'node_modules/@types')]
  const compilerOptions = { ...STRICT, typeRoots, skipLibCheck: false, outDir: 'out', rootDir: '.' }
  await writeFile(folder.path('tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  await folder.make('video.mp4', [...film('320x240', 5, 'sound'), '-g', '30'])
  await folder.make('cover.jpg', ['-i', folder.path('video.mp4'), '-frames:v', '1'])
})

test('it has three programs', () => {
  assert.equal(manifest.bin, {
    'lantern-room': 'dist/local-runner/main.mjs',
    'motion-photo': 'dist/local-runner/motionPhoto.mjs',
    room: 'dist/local-runner/room.mjs',
  })
})

for (const [name, path] of Object.entries(manifest.bin))
  test(`${name} runs by itself, and says nothing but its version`, async () => {
    const { stdout, stderr } = await run(process.execPath, [join(installed, path), '--version'])
    assert.match(stdout, manifest.version)
    assert.is(stderr, '')
  })

test('the examples of its pages compile', async () => {
  const relay = 'tcp://node.example.com:11010'
  for (const [page, names] of Object.entries(PAGES)) {
    const text = await readFile(join(projectRoot, `docs/${page}.md`), 'utf8')
    const blocks = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block = '']) => block)
    assert.is(blocks.length, names.length, page)
    for (const [index, name] of names.entries()) {
      const block = blocks[index] ?? ''
      if (page === 'easytier') assert.match(block, relay)
      await writeFile(folder.path(`${name}.ts`), block.replaceAll(`'${relay}'`, 'process.argv[2] as string'))
    }
  }
  assert.equal(await compile(), { code: 0, said: '' })
})

test('the examples of the formats library run', async () => {
  await runExample('make')
  assert.ok(readMotionPhoto(await readFile(folder.path('photo_MP.jpg')))?.clip)
  const { stdout } = await runExample('read')
  assert.match(stdout, /^2 s\n(\w+: plays\n){5}huawei: does not play\nandroid: plays\n/)
  await runExample('repair')
  assert.is(await digestOf('repaired_MP.jpg'), await digestOf('photo_MP.jpg'))
  await runExample('live')
  assert.match(
    (await readFile(folder.path('IMG_0001.MOV'))).toString('latin1'),
    'com.apple.quicktime.content.identifier',
  )
})

test('a bundle of an example makes the same photo', async () => {
  const before = await digestOf('photo_MP.jpg')
  const common = { absWorkingDir: folder.path(''), bundle: true, format: 'esm', logLevel: 'silent' } as const
  await build({
    ...common,
    entryPoints: ['make.ts'],
    platform: 'node',
    outfile: 'out/bundle.js',
    minify: true,
  })
  await run(process.execPath, ['out/bundle.js'], { cwd: folder.path('') })
  assert.is(await digestOf('photo_MP.jpg'), before)
  const { outputFiles } = await build({
    ...common,
    entryPoints: ['page.ts'],
    platform: 'browser',
    write: false,
  })
  assert.not.match(outputFiles[0]?.text ?? '', /\bimport\b[^.(]|\brequire\(/)
})

test('the element is only named where there is no browser', async () => {
  await writeFile(folder.path('out/define.js'), "import 'lantern-room/player/define'\nimport './element.js'")
  const { stdout, stderr } = await runExample('define')
  assert.is(stdout + stderr, '')
})

test('two programs of the EasyTier page meet', async () => {
  const relay = await startRelay({}, undefined, undefined, true)
  const alice = spawn(process.execPath, ['out/answers.js', relay.urls.tcp], { cwd: folder.path('') })
  try {
    const { stdout } = await run(process.execPath, ['out/asks.js', relay.urls.tcp], { cwd: folder.path('') })
    assert.is(stdout, 'hello\n')
    alice.kill('SIGTERM')
    assert.equal(await once(alice, 'exit'), [0, null])
  } finally {
    alice.kill('SIGKILL')
    await relay.close()
  }
})

test('wrong names of doors, of exports and of options fail when compiling', async () => {
  const wrong = {
    door: "import { inspect } from 'lantern-room/format'\ninspect",
    inside: "import { inspect } from 'lantern-room/dist/formats/formats.mjs'\ninspect",
    name: "import { inspekt } from 'lantern-room/formats'\ninspekt",
    option:
      "import { openPeer } from 'lantern-room/easytier'\nopenPeer({ name: 'a', nodes: [] }, AbortSignal.abort())",
  }
  for (const [name, text] of Object.entries(wrong)) await writeFile(folder.path(`wrong-${name}.ts`), text)
  const { code, said } = await compile()
  assert.is.not(code, 0)
  for (const name of Object.keys(wrong)) assert.match(said, `wrong-${name}.ts(`)
})

async function compile(): Promise<{ readonly code: number; readonly said: string }> {
  return run(process.execPath, [compiler], { cwd: folder.path('') }).then(
    ({ stdout }) => ({ code: 0, said: stdout }),
    ({ code, stdout }) => ({ code, said: stdout }),
  )
}

function runExample(name: string) {
  return run(process.execPath, [`out/${name}.js`], { cwd: folder.path('') })
}

async function digestOf(name: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(folder.path(name)))
    .digest('hex')
}

test.run()
