import { chown, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { checkOutput, createWorkFolders, saveStandardInput, writeOutput } from '@lantern-room/adapters/files'
import { ownerBeforeUs } from '#support/process/ownerName'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { refusal } from '../contract/ports/expected'
import { entriesBelow, openFilesBelow } from '../contract/ports/leaks'

const test = suite('files that a user names')

const bytes = Uint8Array.from({ length: 10_000 }, (_, n) => n % 251)
const never = new AbortController().signal
const accept = () => undefined
let folder = ''
const path = (name: string) => join(folder, name)

test.before.each(async () => {
  folder = await makeTempFolder('user-files')
})
test.after.each(async () => {
  const open = await openFilesBelow(folder)
  await removeFolders(folder)
  assert.equal(open, [])
})

test('standard input beyond the limit is not read on', async () => {
  let chunks = 0
  const endless = Readable.from(
    (async function* () {
      for (; chunks < 1000; chunks++) yield Buffer.from(bytes)
    })(),
  )
  const options = { path: path('in'), maxBytes: 25_000, checkHead: accept, signal: never }
  await refusal(saveStandardInput(endless, options), 'payload-too-large')
  assert.ok(chunks < 100, `${chunks} chunks`)
  assert.ok(endless.destroyed)
})

test('a link that leads nowhere keeps its name, and what it points at is never made', async () => {
  await symlink(path('nowhere'), path('a.jpg'))
  await refusal(checkOutput(path('a.jpg'), { mayOverwrite: false, inputs: [] }), 'conflict')
  await refusal(writeOutput(path('a.jpg'), bytes, { mayOverwrite: false, signal: never }), 'conflict')
  await refusal(writeOutput(path('a.jpg'), bytes, { mayOverwrite: true, signal: never }), 'invalid-request')
  assert.equal(await entriesBelow(folder), ['a.jpg'])
})

const isRootOfLinux = process.getuid?.() === 0 && process.platform === 'linux'

test.skipUnless(isRootOfLinux, 'only the superuser gives files away')(
  'in a folder that others use only what is ours by name and by owner is swept',
  async () => {
    const names = [
      `mine.${ownerBeforeUs}.a`,
      `mine.${ownerBeforeUs}.b`,
      `${ownerBeforeUs}.c`,
      `other.${ownerBeforeUs}.d`,
      'mine.txt',
      `mine.1.e`,
    ]
    for (const name of names) await writeFile(path(name), '')
    await chown(path(`mine.${ownerBeforeUs}.b`), 12_345, 12_345)
    const folders = createWorkFolders({ folder, prefix: 'mine.' })
    await (await folders.open()).dispose()
    assert.equal(
      await entriesBelow(folder),
      names.filter((name) => name !== `mine.${ownerBeforeUs}.a`).sort(),
    )
    const work = await folders.open()
    assert.is(
      (await readdir(folder)).filter((name) => /^mine\.\d+-\d+-[0-9a-f]{8}\.[0-9a-f]{24}$/.test(name)).length,
      1,
    )
    await (await createWorkFolders({ folder, prefix: 'mine.' }).open()).dispose()
    await work.write('a', bytes)
    await work.dispose()
  },
)

test.run()
