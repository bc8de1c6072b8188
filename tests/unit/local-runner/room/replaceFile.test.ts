import { assert, suite } from '#support/runner/suite'
import {
  type ReplacingFiles,
  removeFile,
  replaceFile,
  unusableFolder,
} from '../../../../local-runner/room/replaceFile'

const test = suite('replacing a file')

/** A system on which the file can be renamed or removed at the given attempt, and until then fails with `code`. */
function systemWhere(freeAtAttempt: number, code: string) {
  const contents = new Map<string, string>()
  let attempts = 0
  let waitedMs = 0
  const refuseWhileHeld = () => {
    attempts += 1
    if (attempts < freeAtAttempt) throw Object.assign(new Error(code), { code })
  }
  const files: ReplacingFiles = {
    async writeFile(path, text) {
      contents.set(path, text)
    },
    async rename(from, to) {
      refuseWhileHeld()
      contents.set(to, contents.get(from) ?? '')
      contents.delete(from)
    },
    async remove(path) {
      if (path === 'port.json') refuseWhileHeld()
      contents.delete(path)
    },
    async pause(ms) {
      waitedMs += ms
    },
  }
  return { files, contents, waitedMs: () => waitedMs }
}

for (const code of ['EPERM', 'EACCES', 'EBUSY']) {
  test(`${code}: it tries again while another program holds the file open`, async () => {
    const system = systemWhere(3, code)
    await replaceFile('port.json', 'new', system.files)
    assert.equal([...system.contents], [['port.json', 'new']])
    assert.is(system.waitedMs(), 70)
  })

  test(`${code}: a file that stays open is written in place`, async () => {
    const system = systemWhere(Number.POSITIVE_INFINITY, code)
    assert.is(await replaceFile('port.json', 'new', system.files), true)
    assert.equal([...system.contents], [['port.json', 'new']])
    assert.is(system.waitedMs(), 370)
  })

  test(`${code}: a file that nobody else may write is left as it is, and that is told`, async () => {
    const system = systemWhere(Number.POSITIVE_INFINITY, code)
    system.contents.set('port.json', 'old')
    const files = {
      ...system.files,
      async writeFile(path: string, text: string) {
        if (path === 'port.json') throw Object.assign(new Error(code), { code })
        await system.files.writeFile(path, text)
      },
    }
    assert.is(await replaceFile('port.json', 'new', files), false)
    assert.equal([...system.contents], [['port.json', 'old']])
  })

  test(`${code}: a file that stays open is not removed, and that is no error`, async () => {
    const system = systemWhere(Number.POSITIVE_INFINITY, code)
    system.contents.set('port.json', 'old')
    await removeFile('port.json', system.files)
    assert.equal([...system.contents.keys()], ['port.json'])
  })
}

test('other errors are passed on at once, and nothing is left', async () => {
  const system = systemWhere(Number.POSITIVE_INFINITY, 'ENOSPC')
  const error = await replaceFile('port.json', 'new', system.files).catch((thrown: unknown) => thrown)
  assert.is((error as NodeJS.ErrnoException).code, 'ENOSPC')
  assert.is(system.contents.size, 0)
  assert.is(system.waitedMs(), 0)
})

test('of a folder that cannot be used it is said what to do: rights, or room on the disk', () => {
  const detailOf = (code: string) =>
    unusableFolder('The folder x', Object.assign(new Error(code), { code })).detail
  for (const code of ['EACCES', 'EROFS', 'ENOTDIR'])
    assert.is(
      detailOf(code),
      'The folder x cannot be used. Give this user the right to write, or set DATA_DIR to another folder.',
    )
  for (const code of ['ENOSPC', 'EDQUOT'])
    assert.is(
      detailOf(code),
      'The folder x cannot be used. The disk is full: make room on it, or set DATA_DIR to another folder.',
    )
})

test.run()
