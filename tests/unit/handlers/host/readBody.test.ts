import { assert, suite } from '#support/runner/suite'
import { readBody } from '../../../../handlers/host/readBody'

const test = suite('reading a body')
const { signal: never } = new AbortController()

function body(chunks: readonly Uint8Array[], isEndless = false) {
  const left = [...chunks]
  let isCancelled = false
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = left.shift()
      if (chunk) controller.enqueue(chunk)
      else if (!isEndless) controller.close()
    },
    cancel() {
      isCancelled = true
    },
  })
  return { stream, isCancelled: () => isCancelled }
}

async function read(stream: ReadableStream<Uint8Array> | null, signal = never, most = 9): Promise<number[]> {
  const bytes: number[] = []
  for await (const chunk of readBody(stream, signal)) {
    bytes.push(...chunk)
    if (bytes.length >= most) break
  }
  return bytes
}

test('gives every chunk in order', async () => {
  const { stream, isCancelled } = body([Uint8Array.of(1, 2), Uint8Array.of(3)])
  assert.equal(await read(stream), [1, 2, 3])
  assert.not.ok(isCancelled())
})

test('no body has no chunks', async () => assert.equal(await read(null), []))

test('cancels a body that is not read to its end', async () => {
  const { stream, isCancelled } = body([Uint8Array.of(1), Uint8Array.of(2)], true)
  assert.equal(await read(stream, never, 1), [1])
  assert.ok(isCancelled())
})

test('stops waiting and cancels when the signal aborts', async () => {
  const { stream, isCancelled } = body([Uint8Array.of(1)], true)
  const controller = new AbortController()
  const reading = read(stream, controller.signal).catch((error: unknown) => error)
  const reason = new Error('late')
  setTimeout(() => controller.abort(reason), 10)
  assert.is(await reading, reason)
  assert.ok(isCancelled())
})

test('passes on what the stream throws', async () => {
  const failure = new Error('broken')
  const stream = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(failure) })
  assert.is(await read(stream).catch((error: unknown) => error), failure)
})

test.run()
