import { createExposedPorts } from '#internal/room/service/world/exposedPorts'
import { assert, suite } from '../../../../support/runner/suite'
import { silentLog } from '../../../../support/values/testLog'

const test = suite('ports that members may reach')

const MAP = { name: 'map', tcp: 8100, udp: undefined }
const VOICE = { name: 'voice', tcp: undefined, udp: 24_454 }
const log = silentLog()
const portGuard = { isOwn: () => false, isUnknown: () => false }

const after = (...changes: (number | undefined)[]) => {
  const ports = createExposedPorts([], { portGuard, log })
  for (const port of changes) ports.changeWorld(port)
  const { tcp, udp } = ports.all()
  assert.equal(udp, tcp)
  return tcp
}

test('the present port comes first, then the earlier ones, each once', () => {
  for (const [changes, leading] of [
    [[], []],
    [[1], [1]],
    [
      [1, 2],
      [2, 1],
    ],
    [[1, undefined], []],
    [
      [1, undefined, 2],
      [2, 1],
    ],
    [
      [1, 2, 1],
      [1, 2],
    ],
    [[1, undefined, 1], [1]],
    [
      [1, 2, 3, 2],
      [2, 3, 1],
    ],
  ] as const)
    assert.equal(after(...changes), leading, JSON.stringify(changes))
})

test('eight earlier ports are kept', () => {
  assert.equal(after(...Array.from({ length: 20 }, (_, at) => at + 1)), [20, 19, 18, 17, 16, 15, 14, 13, 12])
})

test('the room protocol, extra ports and the world are reachable, each by its own transport', () => {
  const ports = createExposedPorts([MAP, VOICE], { portGuard, log })
  ports.openRoom(13_448)
  ports.changeWorld(25_565)
  assert.equal(ports.all(), { tcp: [13_448, 8100, 25_565], udp: [24_454, 25_565] })
  assert.equal(ports.withoutWorld(), { tcp: [13_448, 8100], udp: [24_454] })
  ports.shareOnly([])
  assert.equal([ports.extra(), ports.all()], [[], { tcp: [13_448, 25_565], udp: [25_565] }])
})

test('a port that this program has itself is left out for as long, and its name is logged', () => {
  let own = 8100
  let asked = 0
  const warned: unknown[] = []
  const ports = createExposedPorts([MAP, VOICE], {
    portGuard: {
      isOwn: ({ tcp, udp }) => tcp === own || udp === own,
      isUnknown: ({ tcp }) => tcp === asked,
    },
    log: { ...log, warn: (_text, fields) => warned.push(fields) },
  })
  ports.openRoom(13_448)
  assert.equal(
    [ports.extra(), ports.all(), warned],
    [[VOICE], { tcp: [13_448], udp: [24_454] }, [{ ports: [MAP] }]],
  )
  own = 24_454
  assert.equal([ports.extra(), ports.withoutWorld()], [[MAP], { tcp: [13_448, 8100], udp: [] }])
  assert.is(ports.lacksPorts(), true)
  own = 1
  assert.equal([ports.extra(), ports.lacksPorts()], [[MAP, VOICE], false])
  // Nothing is said while it is being found out what has the port.
  asked = 8100
  assert.equal([ports.extra(), ports.lacksPorts()], [[VOICE], false])
})

test.run()
