import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { keepAnswers } from '@lantern-room/adapters/transports'
import { createFakeClock } from '#support/network/fakeClock'
import { folderOfEachTest } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { silentLog } from '#support/values/testLog'

const test = suite('answers that are kept')

const temp = folderOfEachTest(test, 'kept-answers')
const folder = () => join(temp(), 'lists')

const never = new AbortController().signal

/** A source whose answer the test sets: a text, or how it fails. */
function open() {
  const clock = createFakeClock()
  const source: { answer: string | Error | 'silent' } = { answer: 'tcp://a:1' }
  const fetchText = keepAnswers({
    folder: folder(),
    clock,
    log: silentLog(),
    isGood: (text) => text.startsWith('tcp:'),
    fetchText: (_url, _origin, signal) => {
      if (source.answer instanceof Error) return Promise.reject(source.answer)
      if (source.answer !== 'silent') return Promise.resolve(source.answer)
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    },
  })
  return { clock, source, fetchText }
}

test('a failure is answered with the last good answer, by another run as well', async () => {
  const { source, fetchText } = open()
  assert.is(await fetchText('https://l', 'typed', never), 'tcp://a:1')
  source.answer = 'tcp://b:1'
  assert.is(await fetchText('https://l', 'typed', never), 'tcp://b:1')
  source.answer = new Error('refused')
  assert.is(await fetchText('https://l', 'typed', never), 'tcp://b:1')
  const later = open()
  later.source.answer = new Error('refused')
  assert.is(await later.fetchText('https://l', 'typed', never), 'tcp://b:1')
})

test('what is no good answer is neither kept nor preferred to a kept one', async () => {
  const { source, fetchText } = open()
  source.answer = '<html>Log in</html>'
  assert.is(await fetchText('https://l', 'typed', never), '<html>Log in</html>')
  source.answer = 'tcp://a:1'
  await fetchText('https://l', 'typed', never)
  source.answer = '<html>Log in</html>'
  assert.is(await fetchText('https://l', 'typed', never), 'tcp://a:1')
})

test('a source that does not answer has 5 s', async () => {
  const { clock, source, fetchText } = open()
  await fetchText('https://l', 'typed', never)
  source.answer = 'silent'
  const kept = fetchText('https://l', 'typed', never)
  const failed = fetchText('https://other', 'typed', never).catch(String)
  await clock.advance(5000)
  assert.is(await kept, 'tcp://a:1')
  assert.is(await failed, 'Error: no answer in 5 s')
  assert.is(clock.timers, 0)
})

test('an abort is no failure of the source', async () => {
  const { source, fetchText } = open()
  await fetchText('https://l', 'typed', never)
  source.answer = 'silent'
  const controller = new AbortController()
  const reason = new Error('stopped')
  const thrown = fetchText('https://l', 'typed', controller.signal).catch((error: unknown) => error)
  controller.abort(reason)
  assert.is(await thrown, reason)
})

test('32 answers are kept, and nothing beside them', async () => {
  const { fetchText } = open()
  for (let at = 0; at < 40; at += 1) await fetchText(`https://l/${at}`, 'typed', never)
  const names = await readdir(folder())
  assert.is(names.length, 32)
  assert.ok(names.every((name) => /^[0-9a-f]{32}\.txt$/.test(name)))
})

test.run()
