import { createFakeClock, isSettled, settle } from '#support/network/fakeClock'
import { streamPair } from '#support/network/streamPair'
import { assert, suite } from '#support/runner/suite'
import { rejection } from '#support/values/failures'

const test = suite('streams in memory and held time')

const bytes = (...values: number[]) => Uint8Array.from(values)

async function failure(promise: Promise<unknown>): Promise<string> {
  const error = await rejection(promise)
  return error instanceof Error ? error.message : String(error)
}

test('what one side writes, the other reads, both ways', async () => {
  const [a, b] = streamPair()
  await a.write(bytes(1, 2))
  await b.write(bytes(3))
  assert.equal(await b.read(), bytes(1, 2))
  assert.equal(await a.read(), bytes(3))
})

test('a write waits while the other side does not read', async () => {
  const [a, b] = streamPair({ capacity: 4 })
  await a.write(bytes(1, 2, 3, 4))
  const waiting = a.write(bytes(5))
  assert.is(await isSettled(waiting), false)
  await b.read()
  await waiting
})

test('an end delivers what was written, then closes both ways', async () => {
  const [a, b] = streamPair()
  await a.write(bytes(1))
  const ended = a.end()
  assert.is(await isSettled(ended), false)
  assert.is(await failure(b.write(bytes(9))), 'The stream is closed.')
  assert.equal(await b.read(), bytes(1))
  assert.is(await b.read(), undefined)
  await Promise.all([ended, a.closed, b.closed])
  assert.is(await a.read(), undefined)
})

test('an end with a read under way still delivers', async () => {
  const [a, b] = streamPair()
  const read = a.read()
  await a.write(bytes(1))
  void a.end()
  assert.is(await read, undefined)
  await settle()
  assert.equal(await b.read(), bytes(1))
})

test('a write that waits at the end is delivered', async () => {
  const [a, b] = streamPair({ capacity: 1 })
  const write = a.write(bytes(1, 2))
  const ended = a.end()
  assert.equal(await b.read(), bytes(1, 2))
  await Promise.all([write, ended])
})

test('a destroyed side breaks the other one at once, and what was under way is lost', async () => {
  const [a, b] = streamPair({ capacity: 1 })
  await b.write(bytes(7))
  const blocked = failure(b.write(bytes(8)))
  const read = failure(b.read())
  a.destroy()
  a.destroy()
  assert.is(await read, 'The other side broke the stream.')
  assert.is(await blocked, 'The stream is closed.')
  assert.is(await failure(a.read()), 'The stream is closed.')
  assert.is(await failure(a.write(bytes(1))), 'The stream is closed.')
  await Promise.all([a.closed, b.closed, a.end()])
})

test('an end resolves when the other side is destroyed without reading', async () => {
  const [a, b] = streamPair()
  await a.write(bytes(1))
  const ended = a.end()
  b.destroy()
  await Promise.all([ended, a.closed, b.closed])
})

test('timers run in order, each at its own time, and promises settle in between', async () => {
  const clock = createFakeClock(1000)
  const seen: string[] = []
  const note = (name: string) => () => void seen.push(`${name}@${clock.now()}`)
  clock.after(20, note('late'))
  clock.after(10, () => {
    void Promise.resolve().then(() => clock.after(5, note('from a promise')))
  })
  const cancel = clock.after(12, note('never'))
  cancel()
  await clock.advance(30)
  assert.equal(seen, ['from a promise@15', 'late@20'])
  assert.is(clock.now(), 30)
  assert.is(clock.unixTime(), 1030)
  assert.is(clock.timers, 0)
})

test.run()
