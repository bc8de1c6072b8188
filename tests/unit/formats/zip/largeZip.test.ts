import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rangedSource, readFrom } from '@lantern-room/mp4/source'
import { largeZipDirectory, largeZipHeader } from '#internal/formats/zip/largeZip'
import { crc32 } from '#internal/formats/zip/zip'
import { LARGE_ZIP, readZipDirectory, zipRecordStart } from '#internal/formats/zip/zipDirectory'
import { findProgram } from '#support/process/findProgram'
import { inTempFolder } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'

const test = suite('ZIPs of any size')
const modified = { year: 2020, month: 9, day: 2, hour: 20, minute: 33, second: 52 }
const modifiedMs = 1599078832000
const GIB = 1024 ** 3

const member = (name: string, size: number, headerAt: number, crc = 7) => ({
  name,
  size,
  crc,
  headerAt,
  modified,
  modifiedMs,
})

/** A ZIP of which only headers and directory are there. */
function sparse(pieces: readonly { readonly at: number; readonly bytes: Uint8Array }[]) {
  const size = Math.max(...pieces.map(({ at, bytes }) => at + bytes.length))
  return rangedSource(size, async (start, end) => {
    const all = new Uint8Array(end - start)
    for (const { at, bytes } of pieces)
      for (let i = Math.max(0, start - at); i < Math.min(bytes.length, end - at); i += 1)
        all[at + i - start] = bytes[i] ?? 0
    return all
  })
}

test('files and places beyond 4 GiB are found again', async () => {
  const [first, second] = [member('a.mov', 5 * GIB, 0), member('海.jpg', 9, 5 * GIB + 60)]
  const at = 5 * GIB + 200
  const zip = sparse([
    { at: 0, bytes: largeZipHeader(first) },
    { at: second.headerAt, bytes: largeZipHeader(second) },
    { at, bytes: largeZipDirectory([first, second], at) },
  ])
  const records = (await readFrom(readZipDirectory(zip, LARGE_ZIP), zip)) ?? []
  assert.equal(
    records.map(({ name, size, unpackedSize, headerAt, crc }) => [name, size, unpackedSize, headerAt, crc]),
    [
      ['a.mov', 5 * GIB, 5 * GIB, 0, 7],
      ['海.jpg', 9, 9, 5 * GIB + 60, 7],
    ],
  )
  const [, last] = records
  const start = last && (await readFrom(zipRecordStart(zip, last), zip))
  assert.is(start, second.headerAt + largeZipHeader(second).length)
})

test('more files than 65,535 are listed', async () => {
  const members = Array.from({ length: 70_000 }, (_, i) => member(`${i}`, 0, i * 40))
  const at = 70_000 * 40
  const zip = sparse([{ at, bytes: largeZipDirectory(members, at) }])
  const records = await readFrom(readZipDirectory(zip, LARGE_ZIP), zip)
  assert.is(records?.length, 70_000)
  assert.is(records?.at(-1)?.name, '69999')
})

const withUnzip = test.skipUnless(findProgram('unzip'), 'unzip is not installed')

withUnzip('unzip finds nothing wrong, and gives files their time', () =>
  inTempFolder('large-zip', async (folder) => {
    const bytes = new TextEncoder().encode('hello')
    const file = member('a.txt', bytes.length, 0, crc32(bytes))
    const header = largeZipHeader(file)
    const path = join(folder, 'a.zip')
    const directory = largeZipDirectory([file], header.length + bytes.length)
    writeFileSync(path, Buffer.concat([header, bytes, directory]))
    execFileSync('unzip', ['-q', path, '-d', folder])
    const time = execFileSync('stat', ['-c', '%Y %s', join(folder, 'a.txt')], { encoding: 'utf8' })
    assert.is(time.trim(), `${modifiedMs / 1000} 5`)
  }),
)

test.run()
