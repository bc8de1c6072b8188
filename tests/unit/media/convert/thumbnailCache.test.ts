import * as assert from 'uvu/assert'
import { createThumbnailCache } from '#core/media/convert/thumbnailCache'
import { suite } from '#support/runner/suite'

const test = suite('the thumbnail cache')
const bytes = (length: number) => new Uint8Array(length)

test('makes a thumbnail once', async () => {
  const cache = createThumbnailCache(100)
  let made = 0
  const make = async () => bytes(10 + made++)
  const first = await cache.get('a', make)
  assert.is(await cache.get('a', make), first)
  assert.is(made, 1)
})

test('those who ask at the same time share one making', async () => {
  const cache = createThumbnailCache(100)
  let made = 0
  const make = async () => {
    made += 1
    return bytes(10)
  }
  await Promise.all([cache.get('a', make), cache.get('a', make), cache.get('a', make)])
  assert.is(made, 1)
})

test('a failure is not remembered', async () => {
  const cache = createThumbnailCache(100)
  await cache.get('a', () => Promise.reject(new Error('no'))).catch(() => undefined)
  assert.is((await cache.get('a', async () => bytes(3))).length, 3)
})

test('past its bytes it forgets what nobody wanted for longest', async () => {
  const cache = createThumbnailCache(100)
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

test('a thumbnail larger than all of it is given, and not kept', async () => {
  const cache = createThumbnailCache(10)
  let made = 0
  const make = async () => bytes(11 + made++)
  assert.is((await cache.get('a', make)).length, 11)
  assert.is((await cache.get('a', make)).length, 12)
})

test.run()
