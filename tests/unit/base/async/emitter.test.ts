import { createEmitter } from '#internal/base/async/emitter'
import { assert, suite } from '#support/runner/suite'

const test = suite('emitter')

test('calls every listener in order, until it unsubscribes', () => {
  const emitter = createEmitter<number>()
  const calls: string[] = []
  const unsubscribe = emitter.subscribe((event) => calls.push(`first ${event}`))
  emitter.subscribe((event) => calls.push(`second ${event}`))
  emitter.emit(1)
  unsubscribe()
  emitter.emit(2)
  assert.equal(calls, ['first 1', 'second 1', 'second 2'])
})

test('a listener that subscribes during an event hears the next one only', () => {
  const emitter = createEmitter<number>()
  const calls: number[] = []
  emitter.subscribe((event) => {
    if (event === 1) emitter.subscribe((later) => calls.push(later))
  })
  emitter.emit(1)
  assert.equal(calls, [])
  emitter.emit(2)
  assert.equal(calls, [2])
})

test('a listener that unsubscribes another one during an event does not change who hears it', () => {
  const emitter = createEmitter<void>()
  let calls = 0
  emitter.subscribe(() => unsubscribe())
  const unsubscribe = emitter.subscribe(() => {
    calls += 1
  })
  emitter.emit()
  emitter.emit()
  assert.is(calls, 1)
})

test.run()
