import { ServiceError } from '#core/errors'
import {
  decodeExtraPorts,
  encodeExtraPorts,
  PORTS_COMMAND,
  portsCommand,
} from '#core/room/scaffolding/lanternCommands'
import { assert, suite } from '#support/runner/suite'

const test = suite('lantern:ports')

const VOICE = { name: 'voice', tcp: undefined, udp: 24_454 }
const text = (value: string) => new TextEncoder().encode(value)

test('the list is JSON without what is absent', () => {
  const bytes = encodeExtraPorts([VOICE])
  assert.is(new TextDecoder().decode(bytes), '[{"name":"voice","udp":24454}]')
  assert.equal(decodeExtraPorts(bytes), [VOICE])
})

test('the command answers with the present list', async () => {
  let ports = [VOICE]
  const command = portsCommand(() => ports)[PORTS_COMMAND]
  const caller = { memberId: '1', signal: new AbortController().signal, players: new Set<string>() }
  assert.equal(await command?.(new Uint8Array(0), caller), { status: 0, data: encodeExtraPorts([VOICE]) })
  ports = []
  assert.equal(await command?.(new Uint8Array(0), caller), { status: 0, data: text('[]') })
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
    assert.throws(
      () => decodeExtraPorts(text(wrong)),
      (error: unknown) => error instanceof ServiceError,
    )
  })
}

test('a host’s names are cleaned before they are shown', () => {
  assert.is(decodeExtraPorts(text('[{"name":"a\\u001b[2Jb","tcp":1,"more":2}]'))[0]?.name, 'a[2Jb')
})

test.run()
