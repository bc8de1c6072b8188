import { endPointOf, type Game, isVerified, toServerRecord } from '#core/room/game/gameRecords'
import type { GameStatus } from '#core/room/ports'
import { assert, suite } from '#support/runner/suite'

const test = suite('records of game servers')

const NOTHING = { motd: undefined, version: undefined, onlinePlayers: undefined, maxPlayers: undefined }
const MODERN: GameStatus = { by: 'modern', motd: 'status', version: '1.21', onlinePlayers: 0, maxPlayers: 8 }
const GAME: Game = { address: '192.168.1.5', port: 25_565, motd: 'Mine', isLocal: false, status: undefined }

test('a server is verified by a ping of either kind, never by a bare connect', () => {
  assert.ok(isVerified(MODERN))
  assert.ok(isVerified({ ...NOTHING, by: 'legacy' }))
  assert.not.ok(isVerified({ ...NOTHING, by: 'connect' }))
  assert.not.ok(isVerified(undefined))
})

test('what is not known is null', () => {
  const unknown = { isVerified: false, version: null, onlinePlayers: null, maxPlayers: null }
  for (const status of [undefined, { ...NOTHING, by: 'connect' } as const]) {
    assert.equal(toServerRecord({ ...GAME, status }), {
      endPoint: '192.168.1.5:25565',
      motd: 'Mine',
      local: false,
      edition: 'java',
      ...unknown,
    })
  }
})

test('the announced text is shown before the one of the status', () => {
  const motdOf = (motd: string) => toServerRecord({ ...GAME, motd, status: MODERN }).motd
  assert.equal([motdOf('Mine'), motdOf('')], ['Mine', 'status'])
  assert.is(toServerRecord({ ...GAME, motd: '' }).motd, '')
})

test('a Bedrock world is told as one', () => {
  assert.is(toServerRecord({ ...GAME, edition: 'bedrock' }).edition, 'bedrock')
})

test('no player is 0 and not null', () => {
  assert.is(toServerRecord({ ...GAME, status: MODERN }).onlinePlayers, 0)
})

test('an IPv6 address is in brackets', () => {
  assert.is(endPointOf({ address: '127.0.0.1', port: 1 }), '127.0.0.1:1')
  assert.is(endPointOf({ address: 'fe80::1%eth0', port: 2 }), '[fe80::1%eth0]:2')
})

test.run()
