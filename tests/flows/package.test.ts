import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { projectRoot, startServer } from '../support/serverProcess'
import { suite } from '../support/suite'

// What would be uploaded to Lambda, made without credentials and, where this machine can cut it off, without a network.

const test = suite('the packages for Lambda', { timeoutMs: 120_000 })
const HANDLERS = ['cleanup', 'convert', 'document', 'health', 'prepare', 'preview', 'session', 'thumbnail']
const canCutOff = spawnSync('unshare', ['-rn', 'true']).status === 0
let folder = ''

test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lantern-package-'))
  const serverless = [join(projectRoot, 'node_modules/.bin/serverless'), 'package', '--package', folder]
  const settings = { HOME: folder, AWS_SHARED_CREDENTIALS_FILE: '/dev/null' }
  const server = canCutOff
    ? startServer(['-rn', process.execPath, ...serverless], settings, 'unshare')
    : startServer(serverless, settings)
  assert.is(await server.ended, 0, `${server.stdout()}\n${server.stderr()}`)
})
test.after(() => rm(folder, { recursive: true, force: true }))

test('there is one for each handler', async () => {
  const zips = (await readdir(folder)).filter((name) => name.endsWith('.zip'))
  assert.equal(
    zips.sort(),
    HANDLERS.map((name) => `${name}.zip`),
  )
})

test('each holds just its bundle, as it was built', async () => {
  for (const name of HANDLERS) {
    const file = `dist/handlers/${name}.mjs`
    const [entry, ...others] = entriesOf(await readFile(join(folder, `${name}.zip`)))
    assert.equal(others, [])
    assert.is(entry?.name, file)
    assert.is(entry?.size, (await readFile(join(projectRoot, file))).length)
  }
})

test('the stack has a function for each handler, and every method of every path leads to one', async () => {
  const template = JSON.parse(
    await readFile(join(folder, 'cloudformation-template-update-stack.json'), 'utf8'),
  )
  const all: { Type: string; Properties: Record<string, unknown> }[] = Object.values(template.Resources)
  const of = (type: string) => all.filter(({ Type }) => Type === type).map(({ Properties }) => Properties)
  const handlers = of('AWS::Lambda::Function').map(({ Handler }) => Handler)
  assert.equal(
    handlers.sort(),
    HANDLERS.map((name) => `dist/handlers/${name}.handler`),
  )
  const methods = of('AWS::ApiGateway::Method').map(({ HttpMethod }) => HttpMethod)
  assert.equal([...new Set(methods)], ['ANY'])
  assert.equal(of('AWS::ApiGateway::RestApi')[0]?.BinaryMediaTypes, ['*/*'])
})

test.run()

/** Names and sizes in a ZIP file, from its central directory. */
function entriesOf(zip: Buffer): { name: string; size: number }[] {
  const entries: { name: string; size: number }[] = []
  const end = zip.lastIndexOf('PK\x05\x06', undefined, 'latin1')
  const count = zip.readUInt16LE(end + 10)
  for (let at = zip.readUInt32LE(end + 16), n = 0; n < count; n++) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) =>
      zip.readUInt16LE(at + offset),
    )
    const size = zip.readUInt32LE(at + 24)
    entries.push({ name: zip.toString('utf8', at + 46, at + 46 + (nameLength ?? 0)), size })
    at += 46 + (nameLength ?? 0) + (extraLength ?? 0) + (commentLength ?? 0)
  }
  return entries
}
