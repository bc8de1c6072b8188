import * as assert from 'uvu/assert'
import { cleanText } from '#core/room/cleanText'
import { asSeenBy, type Profile, sameProfiles } from '#core/room/profiles'
import { suite } from '#support/runner/suite'

const test = suite('players')

const host: Profile = { name: 'Alex', machineId: 'a', vendor: 'X 1', kind: 'HOST' }
const guest: Profile = { name: 'Steve', machineId: 'b', vendor: 'X 1', kind: 'GUEST' }

test('a stranger’s text loses control characters, line breaks and turned directions', () => {
  assert.is(cleanText(' a\0b\r\nc\u001B[31m\u2028\u202Ed\uFEFF ', 64), 'abc[31md')
  assert.is(cleanText('\uD83D', 64), '')
})

test('a stranger’s text is cut between characters, not within one', () => {
  assert.is(cleanText('😀'.repeat(65), 64), '😀'.repeat(64))
  assert.is(cleanText(`${'a'.repeat(63)} b`, 64), 'a'.repeat(63))
})

test('a guest shows itself as LOCAL, and never the host', () => {
  assert.equal(asSeenBy('b', [host, guest]), [host, { ...guest, kind: 'LOCAL' }])
  assert.equal(asSeenBy('a', [host, guest]), [host, guest])
})

test('lists are the same when they show the same', () => {
  assert.ok(sameProfiles([host, guest], [{ ...host }, { ...guest }]))
  assert.not.ok(sameProfiles([host, guest], [guest, host]))
  assert.not.ok(sameProfiles([host, guest], [host]))
  assert.not.ok(sameProfiles([host], [host, guest]))
  for (const change of [{ name: 'x' }, { machineId: 'x' }, { vendor: 'x' }, { kind: 'LOCAL' as const }]) {
    assert.not.ok(sameProfiles([guest], [{ ...guest, ...change }]), JSON.stringify(change))
  }
})

test.run()
