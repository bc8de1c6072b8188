import { chown, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { readInputHead, saveStandardInput } from '#core/adapters/files/inputFile'
import { checkOutput, writeOutput } from '#core/adapters/files/outputFile'
import { createWorkFolders } from '#core/adapters/files/workFolders'
import { thisProcess } from '#core/adapters/process/processOwner'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { equalBytes } from '#support/values/equalBytes'
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

test('the head of a file is its first 4,096 bytes, or all there is', async () => {
  for (const length of [0, 1, 4095, 4096, 4097, 10_000]) {
    await writeFile(path('a'), bytes.subarray(0, length))
    const heads: Uint8Array[] = []
    await readInputHead(path('a'), (head) => heads.push(head))
    assert.is(heads.length, 1)
    equalBytes(heads[0] ?? new Uint8Array(), bytes.subarray(0, Math.min(length, 4096)))
  }
})

test('what a file is refused for is passed on', async () => {
  await writeFile(path('a'), bytes)
  const reason = new Error('no')
  const work = readInputHead(path('a'), () => {
    throw reason
  })
  assert.is(await work.catch((error: unknown) => error), reason)
})

test('standard input is saved whole, and its head seen once', async () => {
  for (const length of [0, 1, 4096, 10_000]) {
    const heads: number[] = []
    const options = { path: path(`in${length}`), maxBytes: 10_000, signal: never }
    const chunks = Readable.from([Buffer.from(bytes.subarray(0, 1000)), Buffer.from(bytes.subarray(1000))])
    const stdin =
      length === 10_000 ? chunks : Readable.from(length ? [Buffer.from(bytes.subarray(0, length))] : [])
    await saveStandardInput(stdin, { ...options, checkHead: (head) => heads.push(head.length) })
    equalBytes(await readFile(options.path), bytes.subarray(0, length))
    assert.equal(heads, [Math.min(length, 4096)])
    assert.ok(stdin.destroyed)
  }
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

test('standard input that is waited for can be given up', async () => {
  const stop = new AbortController()
  const stdin = new Readable({ read: () => undefined })
  const saving = saveStandardInput(stdin, {
    path: path('in'),
    maxBytes: 100,
    checkHead: accept,
    signal: stop.signal,
  })
  const reason = new Error('stop')
  stop.abort(reason)
  assert.is(await saving.catch((error: unknown) => error), reason)
  assert.ok(stdin.destroyed)
})

test('an output appears whole under its name, and nothing else beside it', async () => {
  await writeOutput(path('a.jpg'), bytes, { mayOverwrite: false, signal: never })
  equalBytes(await readFile(path('a.jpg')), bytes)
  assert.equal(await entriesBelow(folder), ['a.jpg'])
})

test('what is there is replaced only with leave', async () => {
  await writeFile(path('a.jpg'), 'old')
  const free = { mayOverwrite: false, signal: never }
  await refusal(checkOutput(path('a.jpg'), { mayOverwrite: false, input: undefined }), 'conflict')
  await refusal(writeOutput(path('a.jpg'), bytes, free), 'conflict')
  assert.is(await readFile(path('a.jpg'), 'utf8'), 'old')
  assert.equal(await entriesBelow(folder), ['a.jpg'])
  await checkOutput(path('a.jpg'), { mayOverwrite: true, input: undefined })
  await writeOutput(path('a.jpg'), bytes, { ...free, mayOverwrite: true })
  equalBytes(await readFile(path('a.jpg')), bytes)
})

test('a link that leads nowhere takes its name, and what it points at is never made', async () => {
  await symlink(path('nowhere'), path('a.jpg'))
  await refusal(checkOutput(path('a.jpg'), { mayOverwrite: false, input: undefined }), 'conflict')
  await refusal(writeOutput(path('a.jpg'), bytes, { mayOverwrite: false, signal: never }), 'conflict')
  await writeOutput(path('a.jpg'), bytes, { mayOverwrite: true, signal: never })
  assert.equal(await entriesBelow(folder), ['a.jpg'])
})

test('an output that is given up leaves nothing', async () => {
  const stop = new AbortController()
  const reason = new Error('stop')
  stop.abort(reason)
  const work = writeOutput(path('a.jpg'), bytes, { mayOverwrite: false, signal: stop.signal })
  assert.is(await work.catch((error: unknown) => error), reason)
  assert.equal(await entriesBelow(folder), [])
})

test('an output that cannot be written leaves nothing', async () => {
  await mkdir(path('a.jpg'))
  await refusal(checkOutput(path('a.jpg'), { mayOverwrite: true, input: undefined }), 'invalid-request')
  await refusal(writeOutput(path('a.jpg'), bytes, { mayOverwrite: true, signal: never }), 'unavailable')
  await refusal(checkOutput(path('none/a.jpg'), { mayOverwrite: true, input: undefined }), 'unavailable')
  assert.equal(await entriesBelow(folder), ['a.jpg'])
})

/** As a process of this machine names its own which had our number before us. */
const gone = thisProcess().replace(/-\d+-/, '-1-')
const isRootOfLinux = process.getuid?.() === 0 && process.platform === 'linux'

test.skipUnless(isRootOfLinux, 'only the superuser gives files away')(
  'in a folder that others use only what is ours by name and by owner is swept',
  async () => {
    const names = [`mine.${gone}.a`, `mine.${gone}.b`, `${gone}.c`, `other.${gone}.d`, 'mine.txt', `mine.1.e`]
    for (const name of names) await writeFile(path(name), '')
    await chown(path(`mine.${gone}.b`), 12_345, 12_345)
    const folders = createWorkFolders({ folder, prefix: 'mine.' })
    await (await folders.open()).dispose()
    assert.equal(await entriesBelow(folder), names.filter((name) => name !== `mine.${gone}.a`).sort())
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
