import { endPointOf, type Game, toServerRecord } from '#core/room/game/gameRecords'
import type { GameStatus } from '#core/room/ports'
import { assert, suite } from '#support/runner/suite'

const test = suite('records of game servers')

const NOTHING = { motd: undefined, version: undefined, onlinePlayers: undefined, maxPlayers: undefined }
const MODERN: GameStatus = { by: 'modern', motd: 'status', version: '1.21', onlinePlayers: 0, maxPlayers: 8 }
const GAME: Game = { address: '192.168.1.5', port: 25_565, motd: 'Mine', isLocal: false, status: undefined }

test('what is not known is null', () => {
  const unknown = { isVerified: false, version: null, onlinePlayers: null, maxPlayers: null }
  for (const status of [undefined, { ...NOTHING, by: 'connect' } as const]) {
    assert.equal(toServerRecord({ ...GAME, status }), {
      endPoint: '192.168.1.5:25565',
      motd: 'Mine',
      local: false,
      edition: 'java',
      announced: true,
      ...unknown,
    })
  }
})

test('no player is 0 and not null', () => {
  assert.is(toServerRecord({ ...GAME, status: MODERN }).onlinePlayers, 0)
})

test('an IPv6 address is in brackets', () => {
  assert.is(endPointOf({ address: '127.0.0.1', port: 1 }), '127.0.0.1:1')
  assert.is(endPointOf({ address: 'fe80::1%eth0', port: 2 }), '[fe80::1%eth0]:2')
})

test.run()
