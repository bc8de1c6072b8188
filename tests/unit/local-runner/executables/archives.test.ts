import { execFileSync } from 'node:child_process'
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { folderOfEachTest } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { type ArchivedFile, tar, zip } from '../../../../local-runner/executables/archives'

const test = suite('archives of executables')

const DATE = new Date('2026-11-22T10:20:30Z')
const FILES: readonly ArchivedFile[] = [
  { path: 'room/room', bytes: new Uint8Array(100_000).fill(7), isExecutable: true },
  { path: 'room/LICENSE', bytes: Buffer.from('MIT\n'), isExecutable: false },
]
const folder = folderOfEachTest(test, 'archives')

for (const [kind, make] of Object.entries({ tar, zip })) {
  test(`${kind}: equal files give equal bytes`, async () => {
    assert.equal(await make(FILES, DATE), await make(FILES, DATE))
    assert.not.equal(await make(FILES, DATE), await make(FILES, new Date('2026-11-23T10:20:30Z')))
  })
}

test('tar: programs can be run, and all files have the given time', async () => {
  const archive = join(folder(), 'files.tar')
  await writeFile(archive, await tar(FILES, DATE))
  execFileSync('tar', ['-xpf', archive, '-C', folder()])
  const [program, licence] = await Promise.all(FILES.map(({ path }) => stat(join(folder(), path))))
  assert.is((program?.mode ?? 0) & 0o777, 0o755)
  assert.is((licence?.mode ?? 0) & 0o777, 0o644)
  assert.is(program?.mtime.getTime(), DATE.getTime())
})

test('zip: programs can be run, and its time does not depend on the time zone', () => {
  const zone = process.env.TZ
  try {
    const [here, there] = ['Asia/Tokyo', 'America/New_York'].map((name) => {
      process.env.TZ = name
      return zip(FILES, DATE)
    })
    assert.equal(here, there)
  } finally {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  }
  const bytes = Buffer.from(zip(FILES, DATE))
  const record = bytes.indexOf('PK\x01\x02')
  assert.is(bytes.readUInt32LE(record + 38) >>> 16, 0o100755)
  assert.is(bytes.readUInt16LE(record + 12), (10 << 11) | (20 << 5) | 15)
})

test.run()
