import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readNow } from '@lantern-room/mp4/source'
import { readTar } from '#internal/takeout/archives/readTar'
import { folderOfSuite } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'

const test = suite('tar archives')
const folder = await folderOfSuite('tar')
const LONG = `${'deep/'.repeat(30)}${'é'.repeat(60)}.jpg`

test.before(async () => {
  await mkdir(join(folder, 'in', 'deep/'.repeat(30)), { recursive: true })
  await writeFile(join(folder, 'in', LONG), 'long')
  await writeFile(join(folder, 'in', 'a.jpg'), 'x'.repeat(1000))
})

function archive(format: string): Uint8Array {
  return new Uint8Array(
    execFileSync('tar', ['-cf', '-', `--format=${format}`, '-C', join(folder, 'in'), '.']),
  )
}

for (const format of ['gnu', 'pax'])
  test(`plain files of the format ${format} are listed, with long names`, () => {
    const tar = archive(format)
    const { records = [], isCut } = readNow(readTar({ size: tar.length }), tar) ?? {}
    const found = records.map(({ name, start, size }) => [
      name,
      new TextDecoder().decode(tar.subarray(start, start + size)),
    ])
    assert.equal(found.sort(), [
      ['./a.jpg', 'x'.repeat(1000)],
      [`./${LONG}`, 'long'],
    ])
    assert.is(isCut, false)
  })

test('one that is cut says so, and what is no archive is none', () => {
  const tar = archive('gnu').subarray(0, 512 * 34)
  assert.is(readNow(readTar({ size: tar.length }), tar)?.isCut, true)
  for (const bytes of [new Uint8Array(), new Uint8Array(511), new Uint8Array(600).fill(65)])
    assert.is(readNow(readTar({ size: bytes.length }), bytes), undefined)
})

test.run()
