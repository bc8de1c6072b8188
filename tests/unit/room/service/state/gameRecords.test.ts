import type { Game } from '@lantern-room/game'
import { toGameServers, toGameStatus } from '#internal/room/service/state/gameRecords'
import { assert, suite } from '#support/runner/suite'

const test = suite('records of worlds')

const answered = { version: '1.20.4', onlinePlayers: 0, maxPlayers: 8, motd: 'Of the answer' }
const silent: Game = { address: '192.168.1.5', port: 4000, motd: 'Theirs', isLocal: false, status: undefined }
const mine: Game = {
  address: '::1',
  port: 4001,
  motd: '',
  isLocal: true,
  found: { isOfUser: true },
  status: { by: 'modern', ...answered },
}
const unknown: Game = {
  ...silent,
  edition: 'bedrock',
  status: {
    by: 'connect',
    motd: undefined,
    version: undefined,
    onlinePlayers: undefined,
    maxPlayers: undefined,
  },
}

test('a world without an answer is listed by its announcement', () => {
  assert.equal(toGameServers([silent]), {
    servers: [
      {
        endPoint: '192.168.1.5:4000',
        motd: 'Theirs',
        isVerified: false,
        version: null,
        onlinePlayers: null,
        maxPlayers: null,
        local: false,
        edition: 'java',
        announced: true,
      },
    ],
    count: 1,
  })
})

test('one that was found has the name of its answer, and 0 players are not unknown', () => {
  assert.equal(toGameServers([mine]).servers, [
    {
      endPoint: '[::1]:4001',
      motd: 'Of the answer',
      isVerified: true,
      version: '1.20.4',
      onlinePlayers: 0,
      maxPlayers: 8,
      local: true,
      edition: 'java',
      announced: false,
    },
  ])
})

test('what only accepts connections is not verified', () => {
  assert.equal(toGameStatus([silent, mine, unknown], 0), {
    totalServers: 3,
    verifiedServers: 1,
    timestamp: '1970-01-01T00:00:00.000Z',
  })
  const [record] = toGameServers([unknown]).servers
  assert.equal([record?.isVerified, record?.edition], [false, 'bedrock'])
})

test.run()
