import { readRoomConfig } from '#internal/room/config'
import { createKeptNodes } from '#internal/room/service/kept/keptNodes'
import { createMemoryText } from '../../../../support/room/memoryText'
import { assert, suite } from '../../../../support/runner/suite'
import { createTestLog } from '../../../../support/values/testLog'

const test = suite('shared nodes that are kept for the next start')

function open(text?: string) {
  const file = createMemoryText(text)
  const log = createTestLog()
  const run = () => createKeptNodes({ store: file, config: readRoomConfig({}), log })
  return { file, warnings: log.warnings, run }
}

test('a file that cannot be written is a line in the log, and the next choice is kept', async () => {
  const { run, file, warnings } = open()
  const kept = run()
  file.capacity = 0
  await kept.keep(['tcp://a:1'])
  assert.equal(warnings, ['the shared nodes cannot be kept'])
  file.capacity = Number.POSITIVE_INFINITY
  await kept.keep(['tcp://b:1'])
  assert.equal(await run().read(), ['tcp://b:1'])
})

test('a damaged file has none', async () => {
  const nine = Array.from({ length: 9 }, (_, at) => `tcp://a:${at + 1}`)
  for (const text of [
    '',
    '{',
    '[]',
    '{"nodes":["tcp://a:1"]}',
    '{"nodes":["gopher://a"],"environment":null}',
    '{"nodes":"tcp://a:1","environment":null}',
    JSON.stringify({ nodes: nine, environment: null }),
  ]) {
    assert.is(await open(text).run().read(), undefined, text)
  }
})

test.run()
