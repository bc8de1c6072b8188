import { OwnPorts } from '@lantern-room/base/network'
import type { GameStatus } from '@lantern-room/game/ports'
import { createPortGuard } from '#internal/room/service/world/portGuard'
import { createFakeClock } from '../../../../support/network/fakeClock'
import { streamPair } from '../../../../support/network/streamPair'
import { assert, suite } from '../../../../support/runner/suite'
import { rejection } from '../../../../support/values/failures'

const OURS = 'HTTP/1.1 200 OK\r\nServer: LanternRoom\r\nContent-Length: 0\r\n\r\n'
const NOTHING = { motd: undefined, version: undefined, onlinePlayers: undefined, maxPlayers: undefined }
const CONNECTED: GameStatus = { ...NOTHING, by: 'connect' }
const running = new AbortController().signal

/** A machine on which TCP port 7 answers with these pieces; where there are none it only accepts connections. */
function guardBefore(...answer: readonly string[]) {
  const clock = createFakeClock()
  const ownPorts = new OwnPorts()
  let open = 0
  let answerLate = async (_text: string) => {}
  const guard = createPortGuard({
    ownPorts,
    isHere: (address) => ['127.0.0.1', '::1', '192.168.1.9'].includes(address),
    clock,
    stopping: running,
    localNet: {
      async connect(port) {
        if (port !== 7) throw new Error('refused')
        const [near, far] = streamPair()
        open += 1
        void near.closed.then(() => {
          open -= 1
        })
        answerLate = (text) => far.write(new TextEncoder().encode(text))
        void far.read().then(async () => {
          for (const piece of answer) await far.write(new TextEncoder().encode(piece))
        })
        return near
      },
    },
  })
  const probed: number[] = []
  const statusAt = async (port: number, status: GameStatus | undefined, address = '127.0.0.1') => {
    const probe = guard.guard(async (at) => {
      probed.push(at.port)
      return status
    })
    const asking = probe({ address, port }, running)
    await clock.advance(1000)
    return asking
  }
  return {
    clock,
    ownPorts,
    guard,
    probed,
    statusAt,
    connections: () => open,
    answer: (text: string) => answerLate(text),
  }
}

const test = suite('ports that may be shared')

test('a service of this kind is told by its header, however the answer is cut', async () => {
  for (const [answer, isOurs] of [
    [[OURS], true],
    [[...OURS], true],
    [['HTTP/1.1 401 Unauthorized\r\ncontent-type: text/plain\r\nserver: lanternroom\r\n\r\nno'], true],
    [['HTTP/1.1 200 OK\r\nServer: nginx\r\n\r\n'], false],
    [['HTTP/1.1 200 OK\r\n\r\n\r\nServer: LanternRoom\r\n'], false],
    [['SSH-2.0-OpenSSH_9.6\r\nServer: LanternRoom\r\n\r\n'], false],
    [['HTTP/1.1 200 OK\r\nX: ', 'x'.repeat(9000), '\r\nServer: LanternRoom\r\n\r\n'], false],
    [[], false],
  ] as const) {
    const { statusAt, clock, connections } = guardBefore(...answer)
    assert.equal(await statusAt(7, CONNECTED), isOurs ? undefined : CONNECTED, answer.join('').slice(0, 60))
    await clock.advance(0)
    assert.equal([connections(), clock.timers], [0, 0])
  }
})

test('a port of ours is not even asked; what answers a ping is a game, and so is anything elsewhere', async () => {
  const { ownPorts, probed, statusAt } = guardBefore(OURS)
  const game: GameStatus = { ...NOTHING, by: 'modern' }
  ownPorts.add('tcp', 5062, 'api')
  ownPorts.add('udp', 5063, 'network')
  assert.equal(await statusAt(5062, game), undefined)
  assert.equal(probed, [])
  assert.equal(await statusAt(5063, game), game)
  assert.equal(await statusAt(7, game), game)
  assert.equal(await statusAt(7, CONNECTED, '192.168.1.5'), CONNECTED)
  assert.equal(await statusAt(8, undefined), undefined)
})

test('a refusal names the field, the port and what has it; the first wrong one is named', async () => {
  const { guard, ownPorts, clock } = guardBefore(OURS)
  const forget = ownPorts.add('tcp', 5062, 'api')
  ownPorts.add('udp', 19_132, 'forward')
  const refusalOf = async (order: Parameters<typeof guard.refuse>[0]) => {
    const refused = rejection(guard.refuse(order))
    await clock.advance(0)
    return String(((await refused) as { detail?: string }).detail)
  }
  const udp = (port: number) => ({ name: 'voice', tcp: undefined, udp: port })
  assert.match(await refusalOf({ gamePort: 5062 }), /^gamePort: TCP port 5062 is where this program takes/)
  assert.match(await refusalOf({ gamePort: 7 }), /^gamePort: TCP port 7 is used by another Lantern Room/)
  assert.match(
    await refusalOf({ extraPorts: [udp(5062), udp(19_132), { ...udp(7), tcp: 5062 }] }),
    /^ports\.1\.udp: UDP port 19132 is .* friend’s room, .* Give the port of your world/,
  )
  assert.match(
    await refusalOf({ gamePort: 9, scaffoldingPort: 9 }),
    /TCP port 9 is used by the room protocol/,
  )
  forget()
  await guard.refuse({ gamePort: 5062, extraPorts: [{ ...udp(7), tcp: 19_132 }] })
})

test('an order waits 80 ms; what a silent port is shows later, and nobody reaches it until then', async () => {
  const { guard, clock } = guardBefore()
  const known: string[] = []
  guard.onKnown(() => void known.push(guard.isOwn({ tcp: 7 }) ? 'a service' : 'none'))
  const ordering = guard.refuse({ gamePort: 7 })
  await clock.advance(80)
  await ordering
  assert.equal([guard.isUnknown({ tcp: 7 }), guard.isOwn({ tcp: 7 }), known], [true, false, []])
  await clock.advance(920)
  assert.equal([guard.isUnknown({ tcp: 7 }), known], [false, ['none']])
})

test('a service that answers late is not shared after all', async () => {
  const { guard, clock, answer } = guardBefore()
  const ordering = guard.refuse({ gamePort: 7 })
  await clock.advance(80)
  await ordering
  await answer(OURS)
  await clock.advance(0)
  assert.equal([guard.isUnknown({ tcp: 7 }), guard.isOwn({ tcp: 7 })], [false, true])
})

test('a port that is noted twice is ours until both have forgotten it', () => {
  const ownPorts = new OwnPorts()
  const [first, second] = [ownPorts.add('tcp', 9, 'room'), ownPorts.add('tcp', 9, 'forward')]
  assert.equal([ownPorts.useOf('tcp', 9), ownPorts.useOf('udp', 9)], ['room', undefined])
  first()
  first()
  assert.is(ownPorts.useOf('tcp', 9), 'forward')
  second()
  assert.is(ownPorts.useOf('tcp', 9), undefined)
})

test.run()
