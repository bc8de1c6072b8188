import { readdir } from 'node:fs/promises'
import { startPortProcess } from '#support/process/portProcess'
import { inTempFolder } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'

const test = suite('a large upload', { timeoutMs: 180_000 })

test('a file of a gigabyte is received in a few megabytes of memory', async () => {
  await inTempFolder('large', async (folder) => {
    const { lines, exit } = await startPortProcess(['upload', folder, '1000000007']).ended()
    assert.is(exit, 0)
    const [, size, grown] = /^received (\d+) bytes, grown by (\d+) MiB$/.exec(lines[0] ?? '') ?? []
    assert.is(size, '1000000007')
    assert.ok(Number(grown) < 80, lines[0])
    assert.equal(await readdir(folder), [])
  })
})

test.run()
