import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { assert, suite } from '#support/runner/suite'
import { checkImportRules } from './importRules'
import type { SourceTree, Violation } from './violation'

const test = suite('import rules', { timeoutMs: 120_000 })

test('the project keeps them', async () => {
  const tree = await projectTree()
  assert.ok(tree.has('core/errors.ts'), 'the sources were found')
  assert.equal(checkImportRules(tree).map(asLine), [])
})

test('a tree that keeps them is left alone', () => {
  assert.equal(checkImportRules(new Map(Object.entries(goodTree))).map(asLine), [])
})

const goodTree = {
  'core/errors.ts': '',
  'core/http/errors.ts': "import { ServiceError } from '../errors'",
  'core/media/ports.ts': 'export type Store = {}',
  'core/media/app.ts':
    "import { Hono } from 'hono'\nimport { cors } from 'hono/cors'\nimport { z } from '@hono/zod-openapi'\n" +
    "import { randomBytes } from 'node:crypto'\nimport type { Store } from './ports'\nimport '../http/errors'\n" +
    'const at = (ms: number) => new Date(ms)\nconst task = { process: 1, Buffer: 2 }\nconst name = task.process',
  'core/adapters/process/processRunner.ts': "import { spawn } from 'node:child_process'",
  'core/adapters/ffmpeg.ts':
    "import { ServiceError } from '../errors'\nimport type { Ffmpeg } from '../media/ports'\nimport { run } from './process/processRunner'",
  'core/easytier/wire/framing.ts': 'export const encodeTcpFrame = 1',
  'core/easytier/transport/transports.ts': "import '../wire/framing'\nexport type Transports = {}",
  'core/room/network/roomNetwork.ts': "import '#core/easytier/wire/framing'",
  'core/async/onAbort.ts': "signal.addEventListener('abort', act)",
  'core/adapters/transports.ts':
    "import type { Transports } from '../easytier/transport/transports'\nimport '../easytier/wire/framing'",
  'core/adapters/store/disk.ts':
    "import { open } from 'node:fs/promises'\nimport { fileName } from './names'",
  'core/adapters/store/s3.ts':
    "import { S3Client } from '@aws-sdk/client-s3'\nimport { fileName } from './names'",
  'core/adapters/store/names.ts': 'export const fileName = 1',
  'handlers/compose.ts':
    "import '../core/adapters/store/s3'\nimport '../core/media/app'\nconst { env } = process",
  'handlers/health.ts': "import './compose'",
  'local-runner/compose.ts': "import '../core/adapters/store/disk'\nimport '../core/adapters/ffmpeg'",
  'local-runner/main.ts': "import './compose'\nconst port = process.env.MEDIA_PORT",
  'local-runner/ui/shared/ask.ts': 'export const ask = fetch',
  'local-runner/ui/room/App.tsx':
    "import { render } from 'preact'\nimport '../shared/ask'\nimport '#core/errors'\nconst view = <p class=\"a\">text</p>",
  'local-runner/host.ts': "import { page } from './ui/room.page.html'",
  'local-runner/shutdown.ts': "process.on('SIGTERM', () => process.exit())",
  'tests/support/runner/suite.ts': "import { suite } from 'uvu'",
  'tests/contract/store.test.ts':
    "import * as assert from 'uvu/assert'\nimport '../../core/adapters/store/disk'\nimport '#support/runner/suite'\nprocess.env.CI",
}

/** The rule that finds it, and `path of the file: what is written there`. */
type Plant = readonly [rule: Violation['rule'], planted: string]

const plants: Readonly<Record<string, Plant>> = {
  'core reads files': [1, "core/media/a.ts: import { readFile } from 'node:fs/promises'"],
  'a page needs Node': [8, "local-runner/ui/room/a.tsx: import 'node:fs'"],
  'a page needs a host': [8, "local-runner/ui/room/a.tsx: import '../../main'"],
  'a page takes a part of the other': [8, "local-runner/ui/studio/a.tsx: import '../room/App'"],
  'a host takes a part of a page': [8, "local-runner/a.ts: import './ui/room/App'"],
  'core uses a built-in module by its bare name': [1, "core/media/a.ts: import fs from 'fs'"],
  'core knows the type of an SDK': [1, "core/a.ts: import type { Context } from 'aws-lambda'"],
  'core knows the type of a stream by import()': [
    1,
    "core/media/a.ts: type Stream = import('node:stream').Readable",
  ],
  'core loads lazily': [1, "core/media/a.ts: const os = await import('node:os')"],
  'core loads what it computes': [1, 'core/media/a.ts: await import(name)'],
  'core imports a host of ours': [1, "core/a.ts: import '../handlers/compose'"],
  'core reads package.json': [1, "core/a.ts: import it from '../package.json'"],
  'a format knows what is done with it': [
    2,
    "core/formats/mp4/a.ts: import type { B } from '#core/media/ports'",
  ],
  'a format needs Node': [2, "core/formats/mp4/a.ts: import { createHash } from 'node:crypto'"],
  'media imports room deeply, for a type': [
    2,
    "core/media/mp4/a.ts: import type { B } from '../../room/game/b'",
  ],
  'room imports media': [2, "core/room/a.ts: export * from '../media/ports'"],
  'http imports media': [2, "core/http/a.ts: import type { S } from '../media/ports'"],
  'a part imports an adapter': [4, "core/adapters/store/names.ts: import type { Ffmpeg } from '../ffmpeg'"],
  'an adapter imports its neighbour in the folder': [4, "core/adapters/store/cache.ts: import './disk'"],
  'an adapter imports a use case': [4, "core/adapters/clock.ts: import '../media/app'"],
  'an adapter uses the package of another': [
    4,
    "core/adapters/zQueue.ts: import { S3 } from '@aws-sdk/client-s3'",
  ],
  'a handler imports the local runner': [5, "handlers/a.ts: import '../local-runner/main'"],
  'the local runner imports a handler, for a type': [
    5,
    "local-runner/a.ts: import type { H } from '../handlers/health'",
  ],
  'a module that hosts functions imports an adapter': [
    6,
    "handlers/host/a.ts: import '../../core/adapters/store/s3'",
  ],
  'a use case imports an adapter': [6, "core/media/a.ts: import '../adapters/ffmpeg'"],
  'a host reads the environment': [6, 'local-runner/listen.ts: const { PORT } = process.env'],
  'an adapter reads the environment': [6, 'core/adapters/clock.ts: const zone = globalThis.process.env.TZ'],
  'a host takes the environment out of process': [6, 'handlers/a.ts: const { env } = process'],
  'a host hands process on': [6, 'handlers/a.ts: start(process)'],
  'a host imports process': [6, "handlers/a.ts: import { env } from 'node:process'"],
  'a file imports itself': [7, "core/media/a.ts: import './a'"],
  'two files know each other, one only a type': [7, "core/media/ports.ts: import type { App } from './app'"],
  'a host imports tests': [7, "handlers/a.ts: import '../tests/support/runner/suite'"],
  'a test uses the suites of uvu': ['uvu', "tests/unit/a.test.ts: import { test } from 'uvu'"],
  'room knows the network outside its own folder': [
    2,
    "core/room/service/a.ts: import type { C } from '#core/easytier/transport/transports'",
  ],
  'the network knows rooms': [2, "core/easytier/a.ts: import { RoomFailure } from '../room/failure'"],
  'async knows media': [2, "core/async/a.ts: import '#core/media/ports'"],
  'core sets a timer': ['globals', 'core/media/a.ts: setTimeout(() => {}, 5)'],
  'core has a signal with a timer': ['globals', 'core/http/a.ts: const signal = AbortSignal.timeout(5)'],
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
  'core knows the type Buffer': ['globals', 'core/a.ts: type Bytes = Buffer | undefined'],
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
      'core/a.ts': "import './b'",
      'core/b.ts': "import type { C } from './c'",
      'core/c.ts': "export { a } from './a'",
      'core/d.ts': "import './a'",
    }),
  )
  assert.equal(checkImportRules(tree).map(asLine), [
    'core/a.ts:1 rule 7: a cycle: core/a.ts → core/b.ts → core/c.ts → core/a.ts',
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
    'core/easytier/peer/a.ts:1 rule 7: a cycle of folders: core/easytier/peer → core/easytier/wire → core/easytier/peer',
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
        .filter((path) => /\.[cm]?[jt]sx?$/.test(path) && !/[/\\]node_modules[/\\]/.test(path))
    }),
  )
  const sources = paths.flat().map(async (path) => [path, await readFile(path, 'utf8')] as const)
  return new Map(await Promise.all(sources))
}

function asLine({ rule, file, line, problem }: Violation): string {
  return `${file}:${line} rule ${rule}: ${problem}`
}

test.run()
