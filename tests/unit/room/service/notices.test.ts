import { NOTICE_CODES, noticeOf, waitingForWorld, worldLost } from '#core/room/service/notices'
import { assert, suite } from '#support/runner/suite'

const test = suite('notices')

test('each is a sentence of its own', () => {
  const texts = NOTICE_CODES.map((code) => {
    if (code === 'open-world-on-port') return waitingForWorld(25_565).text
    return code === 'world-lost' ? worldLost({ name: undefined, port: 25_565 }).text : noticeOf(code).text
  })
  for (const text of texts) assert.match(text, /^[A-Z].+\.$/)
  assert.is(new Set(texts).size, NOTICE_CODES.length)
})

test('a world is waited for on the port that was chosen, or on any', () => {
  assert.equal(waitingForWorld(undefined), noticeOf('open-world'))
  const { code, text } = waitingForWorld(31_000)
  assert.is(code, 'open-world-on-port')
  assert.match(text, 'on port 31000:')
})

test('a world that has gone is named as the player knows it', () => {
  assert.match(worldLost({ name: 'Castle', port: 31_000 }).text, /^Your world “Castle” does not answer/)
  assert.match(worldLost({ name: undefined, port: 31_000 }).text, /^The world on port 31000 does not answer/)
})
