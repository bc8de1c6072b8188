import { onAbort } from '@lantern-room/base/async'
import { createByteCache } from '#internal/media/byteCache'
import { assert, suite } from '#support/runner/suite'

const test = suite('byte cache')
const bytes = (length: number) => new Uint8Array(length)
const createCache = (maxBytes: number) => createByteCache<Uint8Array>(maxBytes, ({ length }) => length)

test('concurrent calls share one run', async () => {
  const cache = createCache(100)
  let made = 0
  const make = async () => bytes(10 + made++)
  await Promise.all([cache.get('a', make), cache.get('a', make), cache.get('a', make)])
  assert.is(made, 1)
})

test('work that nobody waits for any more is aborted, and not kept', async () => {
  const cache = createCache(100)
  const leaving = new AbortController()
  const untilAborted = (signal: AbortSignal) =>
    new Promise<Uint8Array>((_, reject) => onAbort(signal, () => reject(signal.reason)))
  const stopped = cache.get('a', untilAborted, leaving.signal)
  leaving.abort(new Error('left'))
  assert.is(await stopped.catch((error: unknown) => error), leaving.signal.reason)
  assert.is((await cache.get('a', async () => bytes(3))).length, 3)
})

test('a failure is not remembered', async () => {
  const cache = createCache(100)
  await cache.get('a', () => Promise.reject(new Error('no'))).catch(() => undefined)
  assert.is((await cache.get('a', async () => bytes(3))).length, 3)
})

test('past its bytes it forgets the least recently used value', async () => {
  const cache = createCache(100)
  const made: string[] = []
  const get = (key: string) =>
    cache.get(key, async () => {
      made.push(key)
      return bytes(40)
    })
  await get('a')
  await get('b')
  await get('a')
  await get('c')
  await get('a')
  await get('b')
  assert.equal(made, ['a', 'b', 'c', 'b'])
})

test('a value larger than the bound is returned, and not kept', async () => {
  const cache = createCache(10)
  let made = 0
  const make = async () => bytes(11 + made++)
  assert.is((await cache.get('a', make)).length, 11)
  assert.is((await cache.get('a', make)).length, 12)
})

test.run()
