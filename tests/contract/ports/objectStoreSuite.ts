import { access, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ByteRange, ObjectStore } from '@lantern-room/media/ports'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { keysIn } from '#support/store/keysIn'
import { noise, text } from '#support/values/bytes'
import { equalBytes } from '#support/values/equalBytes'
import { inParallel } from '#support/values/inParallel'
import { bytesOf, present, refusal } from './expected'

export type StoreUnderTest = {
  /** Two adapters on the same, empty storage, as two processes have them. */
  readonly store: ObjectStore
  readonly sibling: ObjectStore
  /** Names what is still open or lies about half written. Asked after each test; must be empty. */
  leaks(): Promise<readonly string[]>
  close(): Promise<void>
}

const contentType = 'application/octet-stream'
const inAnyCase = 'Every object store'

/** What every adapter of the port ObjectStore has to do. Call it once per adapter and file. */
export function objectStoreSuite(adapter: string, open: () => Promise<StoreUnderTest>): void {
  const test = suite(`${inAnyCase}: ${adapter}`, { timeoutMs: 120_000 })
  let under: StoreUnderTest
  let store: ObjectStore
  let scratch: string

  test.before.each(async () => {
    scratch = await makeTempFolder('objects')
    under = await open()
    store = under.store
  })
  test.after.each(async () => {
    const leaks = await under.leaks()
    await under.close()
    await removeFolders(scratch)
    assert.equal(leaks, [])
  })

  const put = (key: string, bytes: Uint8Array) => store.putBytes(key, bytes, { contentType })
  const create = (of: ObjectStore, key: string, bytes: Uint8Array) =>
    of.createBytes(key, bytes, { contentType })

  test('an absent key is undefined everywhere, and deleting it is no error', async () => {
    for (const key of ['a', 'a/b/c', 'sessions/0/preview.mp4']) {
      assert.is(await store.get(key), undefined)
      assert.is(await store.open(key), undefined)
      assert.is(await store.open(key, { start: 0, end: 0 }), undefined)
      assert.is(await store.head(key), undefined)
      assert.is(await store.checkOut(key), undefined)
      await store.delete([key])
    }
    await store.delete([])
    assert.equal(await keysIn(store, ''), [])
  })

  test('the first part of a key is no object', async () => {
    await put('a/b/c', text('x'))
    for (const key of ['a', 'a/b', 'a/b/c/d']) {
      assert.is(await store.get(key), undefined, key)
      assert.is(await store.open(key), undefined, key)
      assert.is(await store.head(key), undefined, key)
      assert.is(await store.checkOut(key), undefined, key)
    }
    await store.delete(['a/b', 'a', 'a/b/c/d'])
    equalBytes(present(await store.get('a/b/c')), text('x'))
  })

  test('bytes come back as they were, whatever their number', async () => {
    for (const size of [0, 1, 2, 65_535, 65_536, 65_537, 1_000_003]) {
      const bytes = noise(size)
      await put('some/object', bytes)
      const whole = present(await store.get('some/object'))
      equalBytes(whole, bytes)
      assert.is(whole.constructor, Uint8Array)
      const opened = present(await store.open('some/object'))
      assert.is(opened.size, size)
      equalBytes(await bytesOf(opened.body), bytes)
      assert.is((await store.head('some/object'))?.size, size)
    }
  })

  test('head says when an object was stored', async () => {
    await put('a', text('x'))
    const modifiedAt = present(await store.head('a')).modifiedAt
    assert.ok(Math.abs(Date.now() - modifiedAt.getTime()) < 60_000, modifiedAt.toISOString())
  })

  test('a second put replaces the first, also by a shorter one', async () => {
    await put('a/b', noise(5000))
    await put('a/b', text('short'))
    equalBytes(present(await store.get('a/b')), text('short'))
    assert.equal(await keysIn(store, ''), ['a/b'])
  })

  test('a local file is stored whole and stays where it is', async () => {
    const path = join(scratch, 'video')
    for (const size of [0, 300_001]) {
      await writeFile(path, noise(size))
      await store.putFile('a/file', path, { contentType })
      equalBytes(present(await store.get('a/file')), noise(size))
      equalBytes(await readFile(path), noise(size))
    }
    await writeFile(path, 'changed afterwards')
    equalBytes(present(await store.get('a/file')), noise(300_001))
  })

  test('a consumed file is stored whole, over an older object too', async () => {
    const path = join(scratch, 'video')
    for (const size of [300_001, 17]) {
      await writeFile(path, noise(size))
      await store.putFile('a/file', path, { contentType, consume: true })
      equalBytes(present(await store.get('a/file')), noise(size))
    }
  })

  test('a local file that does not exist is an error and stores nothing', async () => {
    for (const consume of [false, true])
      await refusal(store.putFile('a/file', join(scratch, 'none'), { contentType, consume }), 'unavailable')
    assert.is(await store.head('a/file'), undefined)
  })

  test('every range of a small object is exactly its bytes, and every other range is refused', async () => {
    const bytes = noise(5)
    await put('a', bytes)
    for (let start = -1; start <= 6; start++)
      for (let end = -1; end <= 6; end++) {
        if (start < 0 || end < start || end >= 5) {
          await refusal(store.open('a', { start, end }), 'out-of-range')
          continue
        }
        const opened = present(await store.open('a', { start, end }))
        assert.is(opened.size, 5)
        equalBytes(await bytesOf(opened.body), bytes.subarray(start, end + 1), `${start}-${end}`)
      }
    for (const bad of [
      { start: 0, end: Number.NaN },
      { start: 0.5, end: 2 },
      { start: 0, end: Number.POSITIVE_INFINITY },
    ])
      await refusal(store.open('a', bad), 'out-of-range')
    await put('empty', noise(0))
    await refusal(store.open('empty', { start: 0, end: 0 }), 'out-of-range')
  })

  test('a range of a large object is exact across every chunk', async () => {
    const bytes = noise(2_000_003)
    await put('a', bytes)
    const ranges: ByteRange[] = [
      { start: 0, end: 2_000_002 },
      { start: 1, end: 131_072 },
      { start: 131_071, end: 131_072 },
      { start: 999_999, end: 1_500_000 },
      { start: 2_000_002, end: 2_000_002 },
    ]
    for (const range of ranges) {
      const opened = present(await store.open('a', range))
      equalBytes(await bytesOf(opened.body), bytes.subarray(range.start, range.end + 1))
    }
  })

  test('a body that is cancelled, at once or in the middle, leaves nothing open', async () => {
    await put('a', noise(3_000_000))
    for (const chunksRead of [0, 1, 2]) {
      const { body } = present(await store.open('a'))
      const reader = body.getReader()
      for (let chunk = 0; chunk < chunksRead; chunk++) assert.is((await reader.read()).done, false)
      await reader.cancel('enough')
      assert.equal(await under.leaks(), [])
    }
    // Cancelled while a chunk is on its way.
    const { body } = present(await store.open('a'))
    const reader = body.getReader()
    const pending = reader.read()
    await reader.cancel()
    await pending
  })

  test('an open body is read to its end although the object is replaced or deleted', async () => {
    const old = noise(700_000)
    for (const change of [() => put('a/b', text('new')), () => store.delete(['a/b'])]) {
      await put('a/b', old)
      const { body } = present(await store.open('a/b'))
      await change()
      equalBytes(await bytesOf(body), old)
    }
  })

  test('create stores only where nothing is stored', async () => {
    assert.is(await create(store, 'a/b', text('first')), true)
    assert.is(await create(store, 'a/b', text('second')), false)
    assert.is(await create(under.sibling, 'a/b', text('third')), false)
    equalBytes(present(await store.get('a/b')), text('first'))
    await store.delete(['a/b'])
    assert.is(await create(under.sibling, 'a/b', text('third')), true)
  })

  test('of twenty who create the same key at once exactly one wins, and its bytes are stored', async () => {
    for (let round = 0; round < 5; round++) {
      const key = `race/${round}`
      const createNth = (_: unknown, n: number) =>
        create(n % 2 === 0 ? store : under.sibling, key, noise(10_000 + n))
      const won = await Promise.all(Array.from({ length: 20 }, createNth))
      assert.is(won.filter(Boolean).length, 1)
      equalBytes(present(await store.get(key)), noise(10_000 + won.indexOf(true)))
    }
  })

  test('list names all of 1,010 objects with their sizes, more than a page of it has', async () => {
    const keys = Array.from({ length: 1010 }, (_, n) => `sessions/${n % 50}/${n}`).sort()
    await inParallel(keys, 25, new AbortController().signal, (key) =>
      put(key, noise(Number(key.split('/')[2]) % 7)),
    )
    assert.equal(await keysIn(store, ''), keys)
    assert.equal(await keysIn(under.sibling, 'sessions/'), keys)
    for await (const { key, size, modifiedAt } of store.list('sessions/49/')) {
      assert.is(size, Number(key.split('/')[2]) % 7)
      assert.ok(Math.abs(Date.now() - modifiedAt.getTime()) < 60_000)
    }
    await store.delete(keys)
    assert.equal(await keysIn(store, ''), [])
  })

  test('a prefix is the beginning of a key, also in the middle of a part', async () => {
    for (const key of ['a/1', 'a/12', 'a/2/x', 'ab/1', 'b']) await put(key, text(key))
    assert.equal(await keysIn(store, 'a'), ['a/1', 'a/12', 'a/2/x', 'ab/1'])
    assert.equal(await keysIn(store, 'a/'), ['a/1', 'a/12', 'a/2/x'])
    assert.equal(await keysIn(store, 'a/1'), ['a/1', 'a/12'])
    assert.equal(await keysIn(store, 'a/2/'), ['a/2/x'])
    assert.equal(await keysIn(store, 'a/3'), [])
    assert.equal(await keysIn(store, 'c/d/'), [])
    assert.equal(await keysIn(store, 'b/'), [])
  })

  test('a list has the order of keys, and may begin behind any of them', async () => {
    const keys = ['l', 'l.json', 'l/a-/1', 'l/a/1', 'l/a/2', 'l/a0/1', 'l/b'].slice(1)
    for (const key of [...keys].reverse()) await put(key, text(key))
    const listed = async (after?: string) => {
      const found: string[] = []
      for await (const { key } of store.list('l', after)) found.push(key)
      return found
    }
    assert.equal(await listed(), keys)
    for (const [index, key] of keys.entries()) assert.equal(await listed(key), keys.slice(index + 1), key)
    assert.equal(await listed('l/a'), keys.slice(1))
    assert.equal(await listed('l/a1'), ['l/b'])
    assert.equal(await listed('m'), [])
  })

  test('a list may be left early, and objects may be deleted while it is read', async () => {
    const keys = Array.from({ length: 60 }, (_, n) => `list/${n % 6}/${n}`)
    for (const key of keys) await put(key, text(key))
    for await (const { key } of store.list('list/')) {
      assert.ok(keys.includes(key))
      break
    }
    assert.equal(await under.leaks(), [])
    const seen: string[] = []
    for await (const { key } of store.list('list/')) {
      seen.push(key)
      await store.delete([key])
    }
    assert.equal(seen.sort(), [...keys].sort())
    assert.equal(await keysIn(store, ''), [])
  })

  test('a copy has the same bytes and outlives the original', async () => {
    for (const size of [0, 1, 1_000_003]) {
      await put('uploads/1', noise(size))
      assert.is(await store.copy('uploads/1', 'sessions/1/original', { contentType }), true)
      equalBytes(present(await store.get('uploads/1')), noise(size))
      await store.delete(['uploads/1'])
      equalBytes(present(await under.sibling.get('sessions/1/original')), noise(size))
      assert.is((await store.head('sessions/1/original'))?.size, size)
    }
    assert.equal(await keysIn(store, ''), ['sessions/1/original'])
  })

  test('a copy and its original are replaced apart', async () => {
    await put('a', text('first'))
    await store.copy('a', 'b/c', { contentType })
    await put('a', text('second'))
    equalBytes(present(await store.get('b/c')), text('first'))
    await put('b/c', text('third, longer'))
    equalBytes(present(await store.get('a')), text('second'))
  })

  test('a copy replaces what was there, and whoever reads that reads on', async () => {
    const old = noise(700_000)
    await put('a', text('new'))
    await put('b', old)
    const { body } = present(await store.open('b'))
    const file = present(await store.checkOut('b'))
    assert.is(await store.copy('a', 'b', { contentType }), true)
    equalBytes(present(await store.get('b')), text('new'))
    equalBytes(await bytesOf(body), old)
    equalBytes(await readFile(file.path), old)
    await file.release()
  })

  test('where there is no original nothing is copied, and what was there stays', async () => {
    await put('b', text('stays'))
    await put('folder/x', text('x'))
    for (const from of ['a', 'a/b', 'folder', 'b/c']) {
      assert.is(await store.copy(from, 'b', { contentType }), false, from)
      assert.is(await store.copy(from, 'd/e', { contentType }), false, from)
    }
    equalBytes(present(await store.get('b')), text('stays'))
    assert.equal(await keysIn(store, ''), ['b', 'folder/x'])
  })

  test('delete removes exactly the keys it is given', async () => {
    for (const key of ['a/1', 'a/2', 'a/3', 'b']) await put(key, text(key))
    await store.delete(['a/1', 'a/3', 'a/9', 'b', 'a/1'])
    assert.equal(await keysIn(store, ''), ['a/2'])
  })

  test('readers see an old or a new object, never a mixture, during 60 rewrites', async () => {
    const version = (n: number) => new Uint8Array(20_000 + 371 * (n % 13)).fill(n % 251)
    await put('hot', version(0))
    let writing = true
    const readers = Array.from({ length: 4 }, async (_, reader) => {
      let reads = 0
      for (; writing; reads++) {
        const of = reader % 2 === 0 ? store : under.sibling
        const whole = () => of.open('hot').then((object) => object && bytesOf(object.body))
        const bytes = await (reader < 2 ? of.get('hot') : whole())
        if (bytes === undefined) throw new Error('The object was gone for a moment.')
        assert.ok(isOneVersion(bytes), 'bytes of two versions')
        assert.is((bytes.length - 20_000) % 371, 0, 'a part of a version')
      }
      return reads
    })
    for (let n = 1; n <= 60; n++) await put('hot', version(n))
    writing = false
    for (const reads of await Promise.all(readers)) assert.ok((reads ?? 0) > 0)
  })

  test('a put beside deletes in the same place always succeeds', async () => {
    await Promise.all(
      [store, under.sibling].map(async (of, n) => {
        for (let round = 0; round < 40; round++) {
          await of.putBytes(`deep/er/${n}`, text(`${n}`), { contentType })
          assert.is((await of.head(`deep/er/${n}`))?.size, 1)
          await of.delete([`deep/er/${n}`])
        }
      }),
    )
    assert.equal(await keysIn(store, ''), [])
  })

  test('a checked-out file can be read by its path although the object is replaced or deleted', async () => {
    const old = noise(100_001)
    for (const change of [() => put('a/b', text('new')), () => under.sibling.delete(['a/b'])]) {
      await put('a/b', old)
      const file = present(await store.checkOut('a/b'))
      await change()
      equalBytes(await readFile(file.path), old)
      await file.release()
      await file.release()
      assert.is(await access(file.path).catch(() => 'gone'), 'gone')
    }
  })

  test('two who check out the same object do not disturb each other', async () => {
    await put('a', noise(1000))
    const [one, two] = await Promise.all([store.checkOut('a'), under.sibling.checkOut('a')])
    await one?.release()
    equalBytes(await readFile(present(two).path), noise(1000))
    await two?.release()
    equalBytes(present(await store.get('a')), noise(1000))
  })

  test('a key that is none is refused by every method, and nothing is stored', async () => {
    const hostile = [
      ...['', '/', '.', '..', '../x', 'a/../../x', 'a/..', './a', 'a/./b', '/etc/passwd', 'a//b', 'a/'],
      ...['a\\b', '..\\x', 'C:\\x', 'a b', 'a\0b', 'a\nb', 'ä', 'a%2e', '@tmp/x', 'a:b', '~', '*'],
      ...['x'.repeat(256), `${'x/'.repeat(600)}x`, '\u202e', 'a/\ud800'],
    ]
    const path = join(scratch, 'file')
    await writeFile(path, 'x')
    for (const key of hostile) {
      await refusal(put(key, text('x')), 'internal')
      await refusal(create(store, key, text('x')), 'internal')
      await refusal(store.putFile(key, path, { contentType }), 'internal')
      await refusal(store.putFile(key, path, { contentType, consume: true }), 'internal')
      await refusal(store.get(key), 'internal')
      await refusal(store.open(key), 'internal')
      await refusal(store.head(key), 'internal')
      await refusal(store.checkOut(key), 'internal')
      await refusal(store.delete([key]), 'internal')
      await refusal(store.copy(key, 'a', { contentType }), 'internal')
      await refusal(store.copy('a', key, { contentType }), 'internal')
    }
    for (const prefix of ['../', '/', 'a/../', '@tmp/', 'a//', '..\\', 'a\0'])
      await refusal(keysIn(store, prefix), 'internal')
    assert.equal(await keysIn(store, ''), [])
    equalBytes(await readFile(path), text('x'))
  })

  test('names that are only unusual are keys like others', async () => {
    const keys = ['-', '_', '...', '.hidden', 'a..b', '-rf', 'CON', 'x'.repeat(255), '__proto__/constructor']
    for (const key of keys) await put(key, text(key))
    assert.equal(await keysIn(store, ''), [...keys].sort())
    for (const key of keys) equalBytes(present(await store.get(key)), text(key))
  })

  test('check resolves and leaves nothing', async () => {
    await Promise.all([store.check(), under.sibling.check(), store.check()])
    assert.equal(await keysIn(store, ''), [])
  })
  test.run()
}

function isOneVersion(bytes: Uint8Array): boolean {
  return Buffer.alloc(bytes.length, bytes[0]).equals(bytes)
}
