import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packageService, type Template } from '#support/hosts/serverlessPackage'
import { projectRoot } from '#support/process/serverProcess'
import { folderOfSuite } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { zipEntries } from '#support/values/zipEntries'

// What would be uploaded to Lambda, and what serverless-offline runs on this machine.

const test = suite('the packages for Lambda', { timeoutMs: 120_000 })
const HANDLERS = (await readdir(join(projectRoot, 'handlers')))
  .flatMap((name) => (name === 'compose.ts' ? [] : (/^(\w+)\.ts$/.exec(name)?.[1] ?? [])))
  .sort()
const MEDIA_SERVICE_TOKEN = 'token-of-whoever-packages'
const folder = await folderOfSuite('lantern-package')
let template: Template

test.before(async () => {
  template = await packageService({ folder, settings: { MEDIA_SERVICE_TOKEN, LOG_LEVEL: 'warn' } })
})

test('there is one for each handler', async () => {
  assert.ok(HANDLERS.length >= 9)
  const zips = (await readdir(folder)).filter((name) => name.endsWith('.zip'))
  assert.equal(
    zips.sort(),
    HANDLERS.map((name) => `${name}.zip`),
  )
})

test('each holds just its bundle, as it was built', async () => {
  for (const name of HANDLERS) {
    const file = `dist/handlers/${name}.mjs`
    const [entry, ...others] = zipEntries(await readFile(join(folder, `${name}.zip`)))
    assert.equal(others, [])
    assert.is(entry?.name, file)
    assert.is(entry?.size, (await readFile(join(projectRoot, file))).length)
  }
})

test('the stack has a function for each handler, and every method of every path leads to one', () => {
  const handlers = template.of('Lambda::Function').map(([, { Handler }]) => Handler)
  assert.equal(
    handlers.sort(),
    HANDLERS.map((name) => `dist/handlers/${name}.handler`),
  )
  const methods = template.of('ApiGateway::Method').map(([, { HttpMethod }]) => HttpMethod)
  assert.equal([...new Set(methods)], ['ANY'])
  const [[, api] = []] = template.of('ApiGateway::RestApi')
  assert.equal(api?.BinaryMediaTypes, ['*/*'])
})

test('without a stage they are for this machine: buffered, with the settings of whoever starts them', () => {
  for (const [name, { Environment }] of template.of('Lambda::Function'))
    assert.equal(Environment, { Variables: { LOG_LEVEL: 'warn', RESPONSE_MODE: 'buffer' } }, name)
  assert.ok(template.text.includes('BUFFERED'))
  assert.not.match(template.text, /STREAM|streaming/)
  assert.not.ok(template.text.includes(MEDIA_SERVICE_TOKEN))
})

test.run()
