import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { assert, suite } from '#support/runner/suite'
import { checkImportRules } from './importRules'
import type { SourceTree, Violation } from './violation'

/** Tests that are no unit tests of a package and use more than its doors, with the reason. This list only gets shorter. */
const FILES_THAT_REACH_INTO_PACKAGES = {
  'tests/flows/appleGainMap.test.ts':
    "It puts numbers into Apple's MakerNote, which exiftool changes but does not create, and no door writes.",
}

const test = suite('import rules', { timeoutMs: 120_000 })

test('the project keeps them', async () => {
  const tree = await projectTree()
  assert.ok(tree.has('core/base/errors.ts') && tree.has('core/base/package.json'), 'the sources were found')
  const violations = checkImportRules(tree)
  const doors = violations.filter(({ rule }) => rule === 'door')
  assert.equal(violations.filter((violation) => !doors.includes(violation)).map(asLine), [])
  const files = new Set(doors.map(({ file }) => file))
  assert.equal([...files].sort(), Object.keys(FILES_THAT_REACH_INTO_PACKAGES).sort())
})

test('a tree that keeps them is left alone', () => {
  assert.equal(checkImportRules(new Map(Object.entries(goodTree))).map(asLine), [])
})

const manifest = (name: string, exports: object, dependencies: object = {}) =>
  JSON.stringify({ name: `@lantern-room/${name}`, exports, dependencies })
const ours = (...names: string[]) => Object.fromEntries(names.map((name) => [`@lantern-room/${name}`, '1']))

const goodTree = {
  'core/base/package.json': manifest(
    'base',
    { '.': './index.ts', './http': './http/index.ts' },
    { hono: '1' },
  ),
  'core/base/index.ts': "export { ServiceError } from './errors'",
  'core/base/errors.ts': '',
  'core/base/http/index.ts': "export { answer } from './errors'",
  'core/base/http/errors.ts': "import { ServiceError } from '../errors'",
  'core/base/async/onAbort.ts': "signal.addEventListener('abort', act)",
  'core/mp4/package.json': manifest('mp4', { '.': './index.ts' }, ours('base')),
  'core/mp4/index.ts': "import '@lantern-room/base'",
  'core/formats/package.json': manifest('formats', { '.': './index.ts', './browser': './browser.ts' }),
  'core/formats/index.ts': "export { readMovie } from './mp4/movie'",
  'core/formats/browser.ts': "export { readMovie } from './mp4/movie'",
  'core/formats/mp4/movie.ts': "import './boxes'",
  'core/formats/mp4/boxes.ts': "import './track'",
  'core/formats/mp4/track.ts': '',
  'core/easytier/package.json': manifest('easytier', { '.': './index.ts' }, ours('base')),
  'core/easytier/index.ts': "export { open } from './transport/transports'",
  'core/easytier/wire/framing.ts': 'export const encodeTcpFrame = 1',
  'core/easytier/transport/transports.ts': "import '#easytier/wire/framing'\nexport type Transports = {}",
  'core/media/package.json': manifest(
    'media',
    { '.': './app.ts', './ports': './ports.ts' },
    { ...ours('base', 'formats'), hono: '1', '@hono/zod-openapi': '1' },
  ),
  'core/media/ports.ts': 'export type Store = {}',
  'core/media/app.ts':
    "import { Hono } from 'hono'\nimport { cors } from 'hono/cors'\nimport { z } from '@hono/zod-openapi'\n" +
    "import { randomBytes } from 'node:crypto'\nimport type { Store } from './ports'\nimport '@lantern-room/base/http'\n" +
    'const at = (ms: number) => new Date(ms)\nconst task = { process: 1, Buffer: 2 }\nconst name = task.process',
  'core/adapters/package.json': manifest(
    'adapters',
    { './disk': './store/disk.ts' },
    { ...ours('base', 'media'), '@aws-sdk/client-s3': '1' },
  ),
  'core/adapters/store/disk.ts':
    "import { open } from 'node:fs/promises'\nimport type { Store } from '@lantern-room/media/ports'\nimport { fileName } from './names'",
  'core/adapters/store/s3.ts': "import { S3Client } from '@aws-sdk/client-s3'",
  'core/adapters/store/names.ts': 'export const fileName = 1',
  'handlers/compose.ts':
    "import '@lantern-room/adapters/disk'\nimport '@lantern-room/media'\nconst { env } = process",
  'handlers/health.ts': "import './compose'",
  'local-runner/compose.ts': "import '@lantern-room/adapters/disk'",
  'local-runner/main.ts': "import './compose'\nconst port = process.env.MEDIA_PORT",
  'local-runner/ui/shared/ask.ts': 'export const ask = fetch',
  'local-runner/ui/room/App.tsx':
    "import { render } from 'preact'\nimport '../shared/ask'\nimport '@lantern-room/base'\nconst view = <p class=\"a\">text</p>",
  'local-runner/host.ts': "import { page } from './ui/room.page.html'",
  'local-runner/shutdown.ts': "process.on('SIGTERM', () => process.exit())",
  'tests/support/runner/suite.ts': "import { suite } from 'uvu'",
  'tests/unit/formats/mp4/movie.test.ts': "import '#internal/formats/mp4/movie'",
  'tests/contract/store.test.ts':
    "import * as assert from 'uvu/assert'\nimport '@lantern-room/adapters/disk'\nimport '#support/runner/suite'\nprocess.env.CI",
}

/** The rule that finds it, and `path of the file: what is written there`. */
type Plant = readonly [rule: Violation['rule'], planted: string]

const plants: Readonly<Record<string, Plant>> = {
  'core reads files': ['imports', "core/media/a.ts: import { readFile } from 'node:fs/promises'"],
  'a page needs Node': ['imports', "local-runner/ui/room/a.tsx: import 'node:fs'"],
  'a page needs a host': ['imports', "local-runner/ui/room/a.tsx: import '../../main'"],
  'a page takes a part of the other': ['imports', "local-runner/ui/studio/a.tsx: import '../room/App'"],
  'a page takes what is not for browsers': [
    'imports',
    "local-runner/ui/studio/a.tsx: import '@lantern-room/formats'",
  ],
  'a host takes a part of a page': ['imports', "local-runner/a.ts: import './ui/room/App'"],
  'core uses a built-in module by its bare name': ['imports', "core/media/a.ts: import fs from 'fs'"],
  'core knows the type of an SDK': ['imports', "core/base/a.ts: import type { Context } from 'aws-lambda'"],
  'core knows the type of a stream by import()': [
    'imports',
    "core/media/a.ts: type Stream = import('node:stream').Readable",
  ],
  'core loads lazily': ['imports', "core/media/a.ts: const os = await import('node:os')"],
  'core loads what it computes': ['imports', 'core/media/a.ts: await import(name)'],
  'core imports a host of ours': ['imports', "core/base/a.ts: import '../../handlers/compose'"],
  'core reads package.json': ['imports', "core/base/a.ts: import it from '../../package.json'"],
  'a package goes past the door of another': [
    'imports',
    "core/media/a.ts: import { readMovie } from '@lantern-room/formats/mp4/movie'",
  ],
  'a package reaches into another by a path, for a type': [
    'imports',
    "core/media/mp4/a.ts: import type { B } from '../../formats/mp4/movie'",
  ],
  'a package imports itself by its name': [
    'imports',
    "core/formats/mp4/a.ts: import '@lantern-room/formats'",
  ],
  'a host reaches into a package by a path': ['imports', "handlers/a.ts: import '../core/media/app'"],
  'a host uses the door of the tests': ['imports', "local-runner/a.ts: import '#internal/media/app'"],
  'a format knows what is done with it': [
    'imports',
    "core/formats/mp4/a.ts: import type { B } from '@lantern-room/media/ports'",
  ],
  'a format needs Node': ['imports', "core/formats/mp4/a.ts: import { createHash } from 'node:crypto'"],
  'a movie needs Node': ['imports', "core/mp4/movie/a.ts: import { createHash } from 'node:crypto'"],
  'a movie knows photos': ['imports', "core/mp4/movie/a.ts: import { inspect } from '@lantern-room/formats'"],
  'media imports easytier, for a type': [
    'imports',
    "core/media/a.ts: import type { B } from '@lantern-room/easytier'",
  ],
  'the network imports HTTP without declaring it': ['imports', "core/easytier/a.ts: import 'hono'"],
  'base stands on media': [
    'imports',
    "core/base/http/a.ts: import type { S } from '@lantern-room/media/ports'",
  ],
  'a handler imports the local runner': ['imports', "handlers/a.ts: import '../local-runner/main'"],
  'the local runner imports a handler, for a type': [
    'imports',
    "local-runner/a.ts: import type { H } from '../handlers/health'",
  ],
  'a module that hosts functions imports an adapter': [
    'imports',
    "handlers/host/a.ts: import '@lantern-room/adapters/disk'",
  ],
  'a contract test reaches into a package': [
    'door',
    "tests/contract/a.test.ts: import '#internal/formats/mp4/movie'",
  ],
  'a unit test reaches into the package of others': [
    'door',
    "tests/unit/media/a.test.ts: import '#internal/formats/mp4/movie'",
  ],
  'a host reads the environment': ['environment', 'local-runner/listen.ts: const { PORT } = process.env'],
  'an adapter reads the environment': [
    'environment',
    'core/adapters/clock.ts: const zone = globalThis.process.env.TZ',
  ],
  'a host takes the environment out of process': ['environment', 'handlers/a.ts: const { env } = process'],
  'a host hands process on': ['environment', 'handlers/a.ts: start(process)'],
  'a host imports process': ['imports', "handlers/a.ts: import { env } from 'node:process'"],
  'a file imports itself': ['cycles', "core/media/a.ts: import './a'"],
  'two files know each other, one only a type': [
    'cycles',
    "core/media/ports.ts: import type { App } from './app'",
  ],
  'a host imports tests': ['imports', "handlers/a.ts: import '../tests/support/runner/suite'"],
  'a test uses the suites of uvu': ['uvu', "tests/unit/a.test.ts: import { test } from 'uvu'"],
  'core sets a timer': ['globals', 'core/media/a.ts: setTimeout(() => {}, 5)'],
  'what an element fetches sets a timer': ['globals', 'core/player/clip/a.ts: setTimeout(() => {}, 5)'],
  'core has a signal with a timer': ['globals', 'core/base/http/a.ts: const signal = AbortSignal.timeout(5)'],
  'properties are grouped by a spread': ['habits', 'tests/unit/a.test.ts: const all = { x: 1, ...{ a, b } }'],
  'an abort listener is written by hand': [
    'habits',
    "core/adapters/clock.ts: signal?.addEventListener('abort', act, { once: true })",
  ],
  'an input of ffmpeg is opened without a list of decoders': [
    'habits',
    "core/media/a.ts: const args = ['-f', 'mjpeg', '-i', 'pipe:0']",
  ],
  'an input is opened among other words': [
    'habits',
    "core/media/a.ts: const args = '-f gif -i pipe:0'.split(' ')",
  ],
  'core uses Buffer': ['globals', 'core/media/a.ts: const bytes = Buffer.alloc(4)'],
  'core knows the type Buffer': ['globals', 'core/base/a.ts: type Bytes = Buffer | undefined'],
  'core reads the environment': ['globals', 'core/media/config.ts: process.env.PORT'],
  'core asks for the time': ['globals', 'core/media/a.ts: const now = Date.now()'],
  'core makes a date of now': ['globals', 'core/media/a.ts: const now = new Date()'],
  'core measures': ['globals', 'core/media/a.ts: const start = performance.now()'],
  'core draws lots': ['globals', 'core/room/a.ts: const id = Math.random()'],
}

for (const [what, [rule, planted]] of Object.entries(plants))
  test(`found: ${what}`, () => {
    const [, file = '', source = ''] = /^(.*?): (.*)$/s.exec(planted) ?? []
    const tree = new Map(Object.entries({ ...goodTree, [file]: `// first line\n${source}` }))
    const violations = checkImportRules(tree)
    const wanted = violations.filter((violation) => violation.rule === rule && violation.file === file)
    assert.is(wanted.length, 1, violations.map(asLine).join('\n') || 'nothing was found')
    assert.is(wanted[0]?.line, 2)
  })

test('a long cycle is found and told in order', () => {
  const tree = new Map(
    Object.entries({
      'handlers/a.ts': "import './b'",
      'handlers/b.ts': "import type { C } from './c'",
      'handlers/c.ts': "export { a } from './a'",
      'handlers/d.ts': "import './a'",
    }),
  )
  assert.equal(checkImportRules(tree).map(asLine), [
    'handlers/a.ts:1 cycles: a cycle: handlers/a.ts → handlers/b.ts → handlers/c.ts → handlers/a.ts',
  ])
})

test('two folders that import each other by different files are found', () => {
  const tree = new Map(
    Object.entries({
      'core/easytier/peer/a.ts': "import '../wire/b'",
      'core/easytier/wire/b.ts': '',
      'core/easytier/wire/c.ts': "import type { D } from '../peer/d'",
      'core/easytier/peer/d.ts': '',
    }),
  )
  assert.equal(checkImportRules(tree).map(asLine), [
    'core/easytier/peer/a.ts:1 cycles: a cycle of folders: core/easytier/peer → core/easytier/wire → core/easytier/peer',
  ])
})

test('a composer beside the folders that it composes makes no cycle of folders', () => {
  const tree = new Map(
    Object.entries({
      'core/easytier/network.ts': "import './peer/a'",
      'core/easytier/peer/a.ts': "import '../random'",
      'core/easytier/random.ts': '',
    }),
  )
  assert.equal(checkImportRules(tree).map(asLine), [])
})

async function projectTree(): Promise<SourceTree> {
  const folders = ['core', 'handlers', 'local-runner', 'layers', 'tests']
  const paths = await Promise.all(
    folders.map(async (folder) => {
      const names = await readdir(folder, { recursive: true }).catch((): string[] => [])
      return names
        .map((name) => join(folder, name))
        .filter(
          (path) =>
            /\.[cm]?[jt]sx?$|^core\/\w+\/package\.json$/.test(path) && !/[/\\]node_modules[/\\]/.test(path),
        )
    }),
  )
  const sources = paths.flat().map(async (path) => [path, await readFile(path, 'utf8')] as const)
  return new Map(await Promise.all(sources))
}

function asLine({ rule, file, line, problem }: Violation): string {
  return `${file}:${line} ${rule}: ${problem}`
}

test.run()
