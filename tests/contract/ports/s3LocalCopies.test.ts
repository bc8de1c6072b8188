import { access, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LocalCopies } from '#core/adapters/objectStore/s3/localCopies'
import { thisProcess } from '#core/adapters/process/processOwner'
import { ServiceError } from '#core/errors'
import type { LocalFile } from '#core/media/objectStore/ports'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { noise } from '#support/values/bytes'
import { equalBytes } from '#support/values/equalBytes'
import { present, refusal } from './expected'
import { entriesBelow } from './leaks'

const test = suite('local copies of objects in S3')

let folder: string
/** What the bucket holds, by key. */
let objects: Map<string, { bytes: Uint8Array; etag: string }>
/** `key` for each download, `key?` for each question whether a copy is still right. */
let asked: string[]

test.before.each(async () => {
  folder = await makeTempFolder('copies')
  objects = new Map()
  asked = []
})
test.after.each(async () => {
  const lent = await entriesBelow(join(folder, 'lent'))
  await removeFolders(folder)
  assert.equal(lent, [])
})

const store = (key: string, size: number, etag = `"${size}"`) =>
  objects.set(key, { bytes: noise(size), etag })

function open(maxBytes: number): LocalCopies {
  return new LocalCopies({
    folder,
    maxBytes,
    async fetch(key, unless) {
      asked.push(unless === undefined ? key : `${key}?`)
      await Promise.resolve()
      const object = objects.get(key)
      if (object === undefined) return undefined
      if (object.etag === unless) return 'unchanged'
      const body = new Blob([object.bytes as Uint8Array<ArrayBuffer>]).stream()
      return { size: object.bytes.length, etag: object.etag, body }
    },
  })
}

async function use(copies: LocalCopies, key: string): Promise<Uint8Array> {
  const file = present(await copies.checkOut(key))
  const bytes = await readFile(file.path)
  await file.release()
  assert.is(await access(file.path).catch(() => 'gone'), 'gone')
  return bytes
}

const kept = async () => {
  const sizes = (await entriesBelow(join(folder, 'kept'))).map((name) => readFile(join(folder, 'kept', name)))
  return (await Promise.all(sizes)).map(({ length }) => length).sort((one, other) => one - other)
}

test('an object is downloaded once, and asked about from then on', async () => {
  const copies = open(1000)
  store('a', 100)
  for (let round = 0; round < 3; round++) equalBytes(await use(copies, 'a'), noise(100))
  assert.equal(asked, ['a', 'a?', 'a?'])
})

test('of fifty who want it at once one downloads', async () => {
  const copies = open(1000)
  store('a', 100)
  const all = await Promise.all(Array.from({ length: 50 }, () => use(copies, 'a')))
  for (const bytes of all) equalBytes(bytes, noise(100))
  assert.is(asked.filter((one) => one === 'a').length, 1)
  assert.equal(await kept(), [100])
})

test('what was used longest ago goes when there is too much', async () => {
  const copies = open(250)
  for (const [key, size] of Object.entries({ a: 100, b: 101 })) {
    store(key, size)
    await use(copies, key)
  }
  await use(copies, 'a')
  store('c', 102)
  await use(copies, 'c')
  assert.equal(await kept(), [100, 102])
  asked = []
  for (const key of ['a', 'c', 'b']) await use(copies, key)
  assert.equal(asked, ['a?', 'c?', 'b'])
  assert.equal(await kept(), [101, 102])
})

test('a file in use is never taken away, also where nothing of its size is kept', async () => {
  const copies = open(150)
  const files: LocalFile[] = []
  for (const [key, size] of Object.entries({ a: 100, b: 101, c: 1000 })) {
    store(key, size)
    files.push(present(await copies.checkOut(key)))
  }
  assert.equal(await kept(), [101])
  for (const [index, size] of [100, 101, 1000].entries())
    equalBytes(await readFile(files[index]?.path ?? ''), noise(size))
  await Promise.all(files.map((file) => file.release()))
})

test('nothing is kept where nothing may be', async () => {
  const copies = open(0)
  store('a', 100)
  store('empty', 0)
  for (const key of ['a', 'empty', 'a']) await use(copies, key)
  assert.equal(asked, ['a', 'empty', 'a'])
})

test('a replaced object is downloaded anew, and whoever had the old one keeps it', async () => {
  const copies = open(1000)
  store('a', 100)
  const old = present(await copies.checkOut('a'))
  store('a', 200)
  equalBytes(await use(copies, 'a'), noise(200))
  equalBytes(await readFile(old.path), noise(100))
  await old.release()
  assert.equal(await kept(), [200])
})

test('an object that is gone is absent at once, and its user keeps the file', async () => {
  const copies = open(1000)
  store('a', 100)
  const file = present(await copies.checkOut('a'))
  objects.delete('a')
  assert.is(await copies.checkOut('a'), undefined)
  equalBytes(await readFile(file.path), noise(100))
  await file.release()
  await file.release()
  assert.equal(await kept(), [])
})

test('what is deleted through us goes at once', async () => {
  const copies = open(1000)
  store('a', 100)
  store('b', 101)
  await use(copies, 'a')
  const file = present(await copies.checkOut('b'))
  await copies.forget(['a', 'b', 'none'])
  equalBytes(await readFile(file.path), noise(101))
  assert.equal(await kept(), [])
  await file.release()
})

test('a download that breaks off leaves nothing and fails nobody else', async () => {
  let breaks = true
  const copies = new LocalCopies({
    folder,
    maxBytes: 1000,
    async fetch() {
      const failing = breaks
      breaks = false
      await Promise.resolve()
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          controller.enqueue(noise(100))
          if (failing) controller.error(new ServiceError('unavailable', 'It broke off.'))
          else controller.close()
        },
      })
      return { size: 100, etag: '"x"', body }
    },
  })
  const [first, second] = await Promise.allSettled([use(copies, 'a'), use(copies, 'a')])
  assert.is(first.status, 'rejected')
  assert.is(second.status, 'fulfilled')
  assert.equal(await kept(), [100])
})

test('a folder that cannot be written is told as such', async () => {
  await writeFile(join(folder, 'kept'), 'a file')
  store('a', 100)
  await refusal(open(1000).checkOut('a'), 'unavailable')
})

test('what killed processes left is removed, and nothing of those that run', async () => {
  const copies = open(1000)
  store('a', 100)
  await use(copies, 'a')
  const [ours = ''] = await entriesBelow(join(folder, 'kept'))
  const gone = ours.replace(/^\d+-\d+/, '4194304-1')
  assert.ok(ours.startsWith(thisProcess()))
  await writeFile(join(folder, 'kept', gone), 'x')
  store('b', 101)
  await use(open(1000), 'b')
  const left = await entriesBelow(join(folder, 'kept'))
  assert.ok(left.includes(ours) && !left.includes(gone), left.join())
})

test.run()
