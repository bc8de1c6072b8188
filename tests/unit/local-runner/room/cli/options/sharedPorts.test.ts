import { assert, suite } from '#support/runner/suite'
import { UsageError } from '../../../../../../local-runner/commandLine/readArguments'
import { sharedPorts, shareWord } from '../../../../../../local-runner/room/cli/options/sharedPorts'

const test = suite('--share')

const VOICE = { name: 'voice', tcp: undefined, udp: 24_454 }
const MAP = { name: 'map', tcp: 8123, udp: undefined }
const BOTH = { name: 'both', tcp: 9, udp: 9 }

test('a list of ports is read, and written as it is read', () => {
  assert.equal(sharedPorts(undefined), [])
  const text = 'voice=24454/udp,map=8123/tcp,both=9'
  assert.equal(sharedPorts(text), [VOICE, MAP, BOTH])
  assert.is([VOICE, MAP, BOTH].map(shareWord).join(','), text)
})

for (const wrong of ['', 'voice', 'voice=', 'voice=x', 'voice=0', '=1', 'a=1,a=2', 'a=1/sctp', 'a=70000']) {
  test(`"${wrong}" is refused with an example`, () => {
    assert.throws(
      () => sharedPorts(wrong),
      (error: unknown) => error instanceof UsageError && /voice=24454\/udp/.test(error.message),
    )
  })
}

test.run()
