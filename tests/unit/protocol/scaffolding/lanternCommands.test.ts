import { decodeExtraPorts, encodeExtraPorts } from '#internal/protocol/scaffolding/lanternCommands'
import { assert, suite } from '#support/runner/suite'
import { text } from '#support/values/bytes'
import { isRefusal } from '#support/values/failures'

const test = suite('lantern:ports')

const VOICE = { name: 'voice', tcp: undefined, udp: 24_454 }

test('the list is JSON without what is absent', () => {
  const bytes = encodeExtraPorts([VOICE])
  assert.equal(bytes, text('[{"name":"voice","udp":24454}]'))
  assert.equal(decodeExtraPorts(bytes), [VOICE])
})

for (const wrong of [
  '',
  '{}',
  '[1]',
  '[{"name":"a"}]',
  '[{"name":"a","tcp":0}]',
  '[{"name":1,"tcp":1}]',
  '\uFFFF',
]) {
  test(`a host’s list ${JSON.stringify(wrong)} is refused`, () => {
    assert.throws(() => decodeExtraPorts(text(wrong)), isRefusal('invalid-request'))
  })
}

test('a host’s names are cleaned before they are shown', () => {
  assert.is(decodeExtraPorts(text('[{"name":"a\\u001b[2Jb","tcp":1,"more":2}]'))[0]?.name, 'a[2Jb')
})

test.run()
