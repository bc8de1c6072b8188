import * as assert from 'uvu/assert'
import { abortable } from '#core/async/abortable'
import { suite } from '#support/runner/suite'

const test = suite('items until a signal aborts')

async function* numbers(onEnd: () => void) {
  try {
    for (let number = 1; number <= 3; number++) yield number
  } finally {
    onEnd()
  }
}

test('without an abort they are all there', async () => {
  const { signal } = new AbortController()
  const seen: number[] = []
  for await (const number of abortable(
    numbers(() => undefined),
    signal,
  ))
    seen.push(number)
  assert.equal(seen, [1, 2, 3])
})

test('after an abort no further item is given, and what they come from is closed', async () => {
  const stop = new AbortController()
  const reason = new Error('stopped')
  const seen: number[] = []
  let isClosed = false
  const items = abortable(
    numbers(() => {
      isClosed = true
    }),
    stop.signal,
  )
  const reading = async () => {
    for await (const number of items) {
      seen.push(number)
      stop.abort(reason)
    }
  }
  assert.is(await reading().catch((error: unknown) => error), reason)
  assert.equal([seen, isClosed], [[1], true])
})

test.run()
