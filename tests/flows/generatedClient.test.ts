import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { openMediaFolder } from '#support/media/media'
import { type ApiDocument, generateClient } from '#support/openApi/generateClient'
import { addressOf, startBothServices } from '#support/process/bothServices'
import type { ServerProcess } from '#support/process/serverProcess'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'

// The documents of both services are good for what they are for: a client is generated from what they serve, compiled
// strictly, and used.

const test = suite('a generated client', { timeoutMs: 120_000 })

let folder = ''
let services: ServerProcess
const urls = { media: '', room: '' }

test.before(async () => {
  folder = await makeTempFolder('lantern-client')
  services = startBothServices(join(folder, 'data'))
  urls.media = await addressOf(services, 'motion photo API')
  urls.room = await addressOf(services, 'room service')
  for (const name of ['media', 'room'] as const) {
    const document = (await (await fetch(`${urls[name]}/openapi.json`)).json()) as ApiDocument
    await writeFile(join(folder, `${name}.ts`), generateClient(document))
  }
})

test.after(async () => {
  services.signal('SIGTERM')
  await services.ended
  await removeFolders(folder)
})

/** Requests as a user of the client would write them. */
const PROGRAM = `
import { createClient as createMedia } from './media.ts'
import { createClient as createRoom } from './room.ts'

export async function use(urls: { media: string; room: string }, video: Blob) {
  const media = createMedia({ url: urls.media })
  const prepared = await media.call('prepareVideo', { form: { file: video } })
  if (prepared.status !== 200 || typeof prepared.body === 'string') throw new Error(JSON.stringify(prepared.body))
  const { session_id, duration } = prepared.body
  const preview = await media.call('getPreview', { path: { session_id } })
  if (preview.status !== 200) throw new Error('no preview: ' + preview.status)
  const frame = await media.call('getFrame', { path: { session_id, n: 7 }, query: { width: 80 } })
  if (frame.status !== 200) throw new Error('no frame: ' + frame.status)
  const gone = await media.call('getPreview', { path: { session_id: '0'.repeat(32) } })
  const room = createRoom({ url: urls.room })
  const state = await room.call('getRoomStatus', {})
  return {
    duration: duration satisfies number,
    bytes: preview.body.size satisfies number,
    frame: frame.body.type,
    gone: gone.status === 404 ? gone.body.code : undefined,
    room: state.status,
  }
}
`

test('it compiles by the strictest rules', async () => {
  await writeFile(join(folder, 'use.ts'), PROGRAM)
  const rules = [
    '--noEmit',
    '--strict',
    '--exactOptionalPropertyTypes',
    '--noUncheckedIndexedAccess',
    '--ignoreConfig',
  ]
  const target = ['--target', 'es2022', '--module', 'esnext', '--moduleResolution', 'bundler', '--types', '']
  const tsc = join('node_modules', '.bin', 'tsc')
  const args = [...rules, ...target, '--allowImportingTsExtensions', '--lib', 'es2022,dom,dom.iterable']
  const { stdout } = await promisify(execFile)(tsc, [...args, join(folder, 'use.ts')]).catch((error) => error)
  assert.is(stdout, '')
})

test('a wrong field does not compile', async () => {
  await writeFile(
    join(folder, 'wrong.ts'),
    PROGRAM.replace('{ path: { session_id } }', '{ path: { file: session_id } }'),
  )
  const tsc = join('node_modules', '.bin', 'tsc')
  const args = ['--noEmit', '--strict', '--ignoreConfig', '--target', 'es2022', '--module', 'esnext']
  const more = ['--moduleResolution', 'bundler', '--types', '', '--allowImportingTsExtensions']
  const { stdout } = await promisify(execFile)(tsc, [
    ...args,
    ...more,
    ...['--lib', 'es2022,dom,dom.iterable'],
    join(folder, 'wrong.ts'),
  ]).catch((error) => error)
  assert.match(stdout, /'file' does not exist in type/)
})

test('it sends requests to both services', async () => {
  const media = await openMediaFolder()
  try {
    const video = await media.make('video.mp4', [
      ...['-f', 'lavfi', '-i', 'testsrc2=size=160x120:rate=30:duration=1'],
      ...['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'],
    ])
    await writeFile(join(folder, 'use.ts'), PROGRAM)
    const outfile = join(folder, 'use.mjs')
    await build({
      entryPoints: [join(folder, 'use.ts')],
      outfile,
      bundle: true,
      format: 'esm',
      logLevel: 'silent',
    })
    const { use } = await import(outfile)
    const answer = await use(urls, new Blob([await readFile(video)]))
    assert.is(answer.duration, 1)
    assert.ok(answer.bytes > 1000)
    assert.is(answer.frame, 'image/jpeg')
    assert.is(answer.gone, 'not-found')
    assert.is(answer.room, 200)
  } finally {
    await media.remove()
  }
})
