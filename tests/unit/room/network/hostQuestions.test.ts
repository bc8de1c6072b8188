import type { Answer } from '#core/room/network/hostProof'
import { createHostQuestions } from '#core/room/network/hostQuestions'
import { createKnownHost } from '#core/room/network/knownHost'
import { createFakeClock } from '#support/network/fakeClock'
import { streamPair } from '#support/network/streamPair'
import { assert, suite } from '#support/runner/suite'

const test = suite('room: who of several members is the host', { setUp, tearDown: ({ stop }) => stop() })

const [KEY, OTHER_KEY] = [1, 2].map((byte) => new Uint8Array(32).fill(byte)) as [Uint8Array, Uint8Array]
const SILENT = 'silent'

test('all are asked at once, and a silent one delays none', async ({ clock, questions, answers, hosts }) => {
  answers.set(1, SILENT).set(2, KEY)
  questions.ask([1, 2])
  await clock.advance(0)
  assert.equal(hosts, [2])
})

test('one that proves the key is asked once, one that does not again after a while', async (parts) => {
  const { clock, questions, answers, hosts, others, asked } = parts
  answers.set(1, OTHER_KEY).set(2, undefined).set(3, KEY)
  questions.ask([1, 2, 3])
  await clock.advance(1900)
  assert.equal([hosts, others, asked], [[3], [1, 2], [1, 2, 3]])
  answers.set(1, KEY)
  questions.ask([1, 2, 3])
  await clock.advance(200)
  assert.equal(
    [hosts, asked.slice(3)],
    [
      [3, 1],
      [1, 2],
    ],
  )
})

test('one that is not to be asked any more is forgotten, and its late answer closed', async (parts) => {
  const { clock, questions, answers, hosts, streams, answerNow } = parts
  answers.set(1, SILENT)
  questions.ask([1])
  questions.ask([])
  answerNow(KEY)
  await clock.advance(5000)
  assert.equal([hosts, parts.asked.length], [[], 1])
  await streams[0]?.closed
})

function setUp() {
  const clock = createFakeClock()
  const stopping = new AbortController()
  const answers = new Map<number, Uint8Array | undefined | typeof SILENT>()
  const asked: number[] = []
  const hosts: number[] = []
  const others: number[] = []
  const streams: ReturnType<typeof streamPair>[0][] = []
  let answerLate: (answer: Answer | undefined) => void = () => {}
  const hostWith = (key: Uint8Array | undefined): Answer => {
    const [stream] = streamPair()
    streams.push(stream)
    return { kind: 'host', key, stream, secure: undefined }
  }
  const questions = createHostQuestions({
    proof: {
      ask(peerId) {
        asked.push(peerId)
        const answer = answers.get(peerId)
        if (answer !== SILENT) return Promise.resolve(hostWith(answer))
        return new Promise((resolve) => {
          answerLate = resolve
        })
      },
    },
    known: createKnownHost(KEY),
    onHost: (peerId) => void hosts.push(peerId),
    onOther: (peerId) => void others.push(peerId),
    clock,
    signal: stopping.signal,
  })
  return {
    clock,
    questions,
    answers,
    asked,
    hosts,
    others,
    streams,
    answerNow: (key: Uint8Array) => answerLate(hostWith(key)),
    async stop() {
      stopping.abort(new Error('over'))
      await clock.advance(0)
      assert.is(clock.timers, 0)
    },
  }
}

test.run()
