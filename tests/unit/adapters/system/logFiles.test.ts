import { readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createLogFiles } from '#internal/adapters/system/logFiles'
import { folderOfEachTest } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'

const test = suite('the log on disk')

const folder = folderOfEachTest(test, 'lantern-log')

const line = (number: number) => `line ${String(number).padStart(4, '0')}\n`

test('lines are read in their order, also by the next program', () => {
  const path = join(folder(), 'room', 'logs', 'room.log')
  const log = createLogFiles({ path, maxBytes: 1000, count: 2 })
  assert.is(log.text(), '')
  log.append(line(1))
  log.append(line(2))
  const next = createLogFiles({ path, maxBytes: 1000, count: 2 })
  next.append(line(3))
  assert.is(log.text(), line(1) + line(2) + line(3))
})

for (const count of [1, 2, 3]) {
  test(`${count} files of 100 bytes keep the newest lines, and no more`, async () => {
    const log = createLogFiles({ path: join(folder(), 'room.log'), maxBytes: 100, count })
    for (let number = 0; number < 200; number += 1) log.append(line(number))
    const text = log.text()
    assert.ok(text.endsWith(line(198) + line(199)), text)
    const names = await readdir(folder())
    assert.equal(names.sort(), ['room.log', 'room.log.1', 'room.log.2'].slice(0, count))
    for (const name of names) {
      const { size, mode } = await stat(join(folder(), name))
      assert.ok(size <= 100, `${name}: ${size}`)
      if (process.platform !== 'win32') assert.is(mode & 0o077, 0)
    }
    const numbers = text.match(/\d+/g)?.map(Number) ?? []
    assert.equal(
      numbers,
      [...numbers].sort((one, other) => one - other),
    )
  })
}

test('a very long line is cut', () => {
  const log = createLogFiles({ path: join(folder(), 'room.log'), maxBytes: 100_000, count: 1 })
  log.append(`${'x'.repeat(50_000)}\n`)
  assert.ok(log.text().length < 9000)
  assert.ok(log.text().endsWith('…\n'))
})

test('a place that cannot be written ends nothing', async () => {
  const file = join(folder(), 'file')
  await writeFile(file, '')
  const log = createLogFiles({ path: join(file, 'logs', 'room.log'), maxBytes: 100, count: 2 })
  log.append(line(1))
  assert.is(log.text(), '')
})

test.run()
