import { assert, suite } from '#support/runner/suite'
import { takeEvents } from '../../../../../../local-runner/ui/studio/photo/records'

const test = suite('events of a stream')

const STREAM =
  ': keep-alive\n\nevent: progress\ndata: {"stage":"preparing","percent":40}\n\nevent: result\ndata: {"session_id":"a"}\n\n'
const EVENTS = [
  { name: 'progress', data: '{"stage":"preparing","percent":40}' },
  { name: 'result', data: '{"session_id":"a"}' },
]

test('whole events are taken, comments are not', () => {
  assert.equal(takeEvents(STREAM), { events: EVENTS, rest: '' })
})

test('wherever the stream is split, the events are the same', () => {
  for (let at = 0; at <= STREAM.length; at += 1) {
    const first = takeEvents(STREAM.slice(0, at))
    const second = takeEvents(first.rest + STREAM.slice(at))
    assert.equal([...first.events, ...second.events], EVENTS, String(at))
  }
})

test.run()
