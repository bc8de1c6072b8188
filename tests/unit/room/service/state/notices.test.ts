import { hostNotice } from '#core/room/service/hosting/hostNotices'
import { NOTICE_CODES, noticeOf, worldLost } from '#core/room/service/state/notices'
import { assert, suite } from '../../../../support/runner/suite'

const test = suite('notices')

/** What a host is told, by the ports of its world. */
const told = (
  { found, offered, chosen }: { found?: number; offered?: number; chosen?: number },
  { lacksPorts = false, isOpen = false } = {},
) => {
  const world = {
    port: () => found,
    offered: () => (offered === undefined ? undefined : { port: offered, name: '', isVerified: false }),
    chosen: () => chosen,
  }
  return hostNotice(world, { lacksPorts: () => lacksPorts }, isOpen, undefined)
}

const OF_HOSTS = {
  'open-world-on-port': () => told({ chosen: 25_565 }),
  'world-unverified': () => told({ offered: 22 }),
  'world-lost': () => worldLost({ name: undefined, port: 25_565 }),
}

test('each is a sentence of its own', () => {
  const texts = NOTICE_CODES.map((code) => {
    const notice = Object.hasOwn(OF_HOSTS, code)
      ? OF_HOSTS[code as keyof typeof OF_HOSTS]()
      : noticeOf(code as Parameters<typeof noticeOf>[0])
    assert.is(notice?.code, code)
    return notice?.text ?? ''
  })
  for (const text of texts) assert.match(text, /^[A-Z].+\.$/)
  assert.is(new Set(texts).size, NOTICE_CODES.length)
})

test('a host is told what it has to do before friends can play', () => {
  for (const [notice, code] of [
    [told({}), 'open-world'],
    [told({ chosen: 31_000 }), 'open-world-on-port'],
    [told({ offered: 22 }), 'world-unverified'],
    [told({}, { isOpen: true }), 'world-missing'],
    [told({ offered: 22 }, { isOpen: true }), 'world-unverified'],
    [told({ found: 25_565 }, { isOpen: true }), undefined],
    [told({ found: 25_565 }, { isOpen: true, lacksPorts: true }), 'own-port'],
    [told({ offered: 22 }, { lacksPorts: true }), 'world-unverified'],
  ] as const)
    assert.is(notice?.code, code)
})

test('a port that is chosen or offered is named', () => {
  assert.match(told({ chosen: 31_000 })?.text ?? '', /on port 31000:/)
  assert.match(told({ offered: 4022 })?.text ?? '', /on port 4022, .*--game-port 4022/)
})

test('a world that has gone is named as the player knows it', () => {
  assert.match(worldLost({ name: 'Castle', port: 31_000 }).text, /^Your world “Castle” does not answer/)
  assert.match(worldLost({ name: undefined, port: 31_000 }).text, /^The world on port 31000 does not answer/)
})

test.run()
