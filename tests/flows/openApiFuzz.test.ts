import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ffmpeg } from '#support/media/media'
import { addressOf, startBothServices } from '#support/process/bothServices'
import { findProgram } from '#support/process/findProgram'
import type { ServerProcess } from '#support/process/serverProcess'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'

// Schemathesis reads the OpenAPI document of a running service and sends it requests of every kind, right and wrong.
// SECONDS_FOR_EACH=600 is the long form.

const test = suite('what the OpenAPI documents promise', { timeoutMs: 1_400_000 })
const schemathesis = findProgram('schemathesis')
const fuzzed = test.skipUnless(schemathesis, 'schemathesis is not installed')
const secondsForEach = Number(process.env.SECONDS_FOR_EACH ?? '25')

const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
].join(',')

let folder: string
let server: ServerProcess
let mediaUrl: string
let roomUrl: string

test.before(async () => {
  folder = await makeTempFolder('fuzz')
  server = startBothServices(join(folder, 'data'), { LOG_LEVEL: 'error' })
  mediaUrl = await addressOf(server, 'motion photo API')
  roomUrl = await addressOf(server, 'room service')
})
test.after(async () => {
  server.signal('SIGTERM')
  await server.ended
  await removeFolders(folder)
})

fuzzed('of the media API: no status, body or header that it does not tell, and no 5xx', async () => {
  // With a session at hand, requests reach more than 404.
  const video = await ffmpeg(
    '-f lavfi -i testsrc=s=64x48:r=30:d=2 -c:v libx264 -f matroska pipe:1'.split(' '),
  )
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(video)]), 'a.mkv')
  const response = await fetch(`${mediaUrl}/prepare`, { method: 'POST', body: form })
  const { session_id } = (await response.json()) as { session_id: string }
  const hooks = join(folder, 'hooks.py')
  await writeFile(hooks, HOOKS)
  await fuzz(mediaUrl, [], { SCHEMATHESIS_HOOKS: hooks, SESSION_ID: session_id })
  assert.is((await fetch(`${mediaUrl}/health`)).status, 200)
})

fuzzed('of the room service: the same', async () => {
  // Neither ends the service.
  await fuzz(roomUrl, ['--exclude-path', '/shutdown', '--exclude-path', '/panic'], {})
  assert.is((await fetch(`${roomUrl}/meta`)).status, 200)
})

/** Every second request names the session, except those that would remove it. */
const HOOKS = `
import os, random
import schemathesis

session_id = os.environ["SESSION_ID"]
chance = random.Random(1)

def name(context, fields):
    removes = context.operation.method.upper() == "DELETE" or context.operation.path == "/cleanup"
    if isinstance(fields, dict) and "session_id" in fields and not removes and chance.random() < 0.5:
        fields["session_id"] = session_id
    return fields

@schemathesis.hook
def map_path_parameters(context, path_parameters):
    return name(context, path_parameters)

@schemathesis.hook
def map_body(context, body):
    return name(context, body)
`

async function fuzz(
  url: string,
  options: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const args = [
    ...['run', `${url}/openapi.json`, '--url', url, '--checks', CHECKS, '--seed', '1', '--no-color'],
    ...['--max-time', String(secondsForEach), '--generation-database', 'none', '--request-timeout', '60'],
    ...['--continue-on-failure', ...options],
  ]
  // It keeps files in the folder where it runs.
  const where = { cwd: folder, env: { ...process.env, ...env }, maxBuffer: 1 << 26 }
  const { stdout } = await promisify(execFile)(schemathesis ?? '', args, where).catch((error) => {
    throw new Error(String(error.stdout).slice(-8000), { cause: error })
  })
  const [, cases = '0'] = /^\s*(\d+) generated/m.exec(stdout) ?? []
  assert.ok(Number(cases) > 100, stdout.slice(-2000))
}

test.run()
