import { ByteCache } from '#core/media/byteCache'
import { assert, suite } from '#support/runner/suite'

const test = suite('byte cache')
const bytes = (length: number) => new Uint8Array(length)
const createCache = (maxBytes: number) => new ByteCache<Uint8Array>(maxBytes, ({ length }) => length)

test('makes a value once', async () => {
  const cache = createCache(100)
  let made = 0
  const make = async () => bytes(10 + made++)
  const first = await cache.get('a', make)
  assert.is(await cache.get('a', make), first)
  assert.is(made, 1)
})

test('concurrent calls share one run', async () => {
  const cache = createCache(100)
  let made = 0
  const make = async () => {
    made += 1
    return bytes(10)
  }
  await Promise.all([cache.get('a', make), cache.get('a', make), cache.get('a', make)])
  assert.is(made, 1)
})

test('values that are kept otherwise are found, and count once', async () => {
  const cache = createCache(100)
  assert.is(cache.find('a'), undefined)
  const value = bytes(60)
  for (let times = 0; times < 3; times++) cache.keep('a', value)
  cache.keep('b', bytes(40))
  assert.is(cache.find('a'), value)
  cache.keep('c', bytes(10))
  assert.is(cache.find('b'), undefined, 'the least recently used')
  assert.is(await cache.get('a', async () => bytes(1)), value)
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
