import { createByteStream, type StreamSource } from '#core/easytier/streams/byteStream'
import { StreamError } from '#core/easytier/streams/streamError'
import { settle } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: byte streams', { setUp: start })

const LIMIT = 256 * 1024

/** A source that does what the test says, and the stream made of it. */
function start() {
  const arrived: Uint8Array[] = []
  const calls: string[] = []
  let listener = () => {}
  const source = {
    queued: 0,
    state: 'open' as StreamSource['state'],
    error: undefined as StreamError | undefined,
    get readable() {
      return arrived.length
    },
    read: () => arrived.shift(),
    write(bytes: Uint8Array) {
      source.queued += bytes.length
    },
    end: () => calls.push('end'),
    destroy: () => calls.push('destroy'),
    onChange(next: () => void) {
      listener = next
    },
  }
  const change = (fields: Partial<Pick<typeof source, 'queued' | 'state' | 'error'>>) => {
    Object.assign(source, fields)
    listener()
    return settle()
  }
  const arrive = (...bytes: number[]) => {
    arrived.push(Uint8Array.from(bytes))
    listener()
    return settle()
  }
  return { stream: createByteStream(source), source, calls, change, arrive }
}

/** What the promise has come to, if it has. */
function watch(promise: Promise<unknown>): { outcome: unknown } {
  const watched: { outcome: unknown } = { outcome: 'pending' }
  promise.then(
    (value) => {
      watched.outcome = value
    },
    (error: unknown) => {
      watched.outcome = error
    },
  )
  return watched
}

test('a read takes what is there, or waits for it; a second one meanwhile is refused', async () => {
  const { stream, arrive, change } = start()
  await arrive(1)
  assert.equal(await stream.read(), Uint8Array.of(1))
  const read = watch(stream.read())
  await rejects(stream.read(), /under way/)
  await change({})
  assert.is(read.outcome, 'pending')
  await arrive(2)
  assert.equal(read.outcome, Uint8Array.of(2))
})

test('a read ends in order when the other side has closed, and fails when the stream broke', async () => {
  const ended = start()
  const last = watch(ended.stream.read())
  await ended.change({ state: 'closed' })
  assert.equal([last.outcome, await ended.stream.read()], [undefined, undefined])
  const { stream, change } = start()
  const read = watch(stream.read())
  const error = new StreamError('reset')
  await change({ state: 'closed', error })
  assert.is(read.outcome, error)
})

test('bytes that came before the end, or before an error, are read first; then the stream is closed', async () => {
  for (const error of [undefined, new StreamError('cut')]) {
    const { stream, arrive, change } = start()
    await arrive(1)
    await arrive(2)
    const closed = watch(stream.closed)
    await change({ state: 'closed', error })
    assert.equal(await stream.read(), Uint8Array.of(1))
    await settle()
    assert.is(closed.outcome, 'pending')
    assert.equal(await stream.read(), Uint8Array.of(2))
    await settle()
    assert.is(closed.outcome, undefined)
    if (error) await rejects(stream.read(), /before all of its data/)
    else assert.is(await stream.read(), undefined)
  }
})

test('a write waits while more than 256 KiB are queued', async ({ stream, source, change }) => {
  await stream.write(new Uint8Array(LIMIT))
  const write = watch(stream.write(new Uint8Array(1)))
  await change({ queued: LIMIT + 1 })
  assert.is(write.outcome, 'pending')
  await change({ queued: LIMIT })
  assert.equal([write.outcome, source.queued], [undefined, LIMIT])
})

test('a write that waits fails when the stream closes, and so does one on a stream that is not open', async () => {
  const { stream, change } = start()
  const write = watch(stream.write(new Uint8Array(LIMIT + 1)))
  const error = new StreamError('dead')
  await change({ state: 'closed', error })
  assert.is(write.outcome, error)
  await rejects(stream.write(Uint8Array.of(1)), /not answered for a minute/)
  await change({ state: 'ending', error: undefined })
  await rejects(stream.write(Uint8Array.of(1)), /is closed/)
})

test('`end` resolves when the stream is closed, and from then on reads end', async () => {
  const { stream, calls, change } = start()
  const ended = watch(stream.end())
  await change({ state: 'ending' })
  assert.equal([ended.outcome, calls, await stream.read()], ['pending', ['end'], undefined])
  await change({ state: 'closed' })
  assert.is(ended.outcome, undefined)
  await stream.closed
})

test('`destroy` ends a read that waits', async ({ stream, calls }) => {
  const read = watch(stream.read())
  stream.destroy()
  await settle()
  assert.equal([read.outcome, calls], [undefined, ['destroy']])
})

test('a source that is closed already makes a stream that is closed', async ({ source }) => {
  source.state = 'closed'
  await createByteStream(source).closed
})

async function rejects(promise: Promise<unknown>, message: RegExp): Promise<void> {
  await promise.then(
    () => assert.unreachable('it should fail'),
    (error: unknown) => assert.match(String(error), message),
  )
}

test.run()
