import type { GameStatus, ListeningSocket, ProbeGame } from '#internal/game/ports'
import { createProbeHere } from '#internal/game/probeHere'
import { candidatesIn, createWorldSearch, type FoundWorld } from '#internal/game/worldSearch'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { each } from '#support/values/each'

const test = suite('search for worlds of this machine')

const running = new AbortController().signal
const NOTHING = { motd: undefined, version: undefined, onlinePlayers: undefined, maxPlayers: undefined }
const socket = (port: number, more: Partial<ListeningSocket> = {}): ListeningSocket => ({
  address: '0.0.0.0',
  port,
  isJava: true,
  isOfUser: true,
  ...more,
})

/** @param answers by `address port` */
function searchIn(
  answers: Readonly<Record<string, GameStatus['by']>>,
  machine: { readonly sockets?: Promise<readonly ListeningSocket[]>; readonly logged?: readonly number[] },
) {
  const clock = createFakeClock()
  const asked: string[] = []
  const found: FoundWorld[] = []
  const probe: ProbeGame = async ({ address, port }) => {
    const key = `${address} ${port}`
    asked.push(key)
    return answers[key] && { ...NOTHING, by: answers[key] }
  }
  const addresses = () => ['127.0.0.1', '::1', '192.168.1.9']
  const search = createWorldSearch({
    machine: {
      addresses,
      listening: () => machine.sockets ?? Promise.resolve([]),
      loggedPorts: async () => machine.logged ?? [],
    },
    probe,
    probeHere: createProbeHere(probe, addresses),
    onFound: (world) => void found.push(world),
    clock,
  })
  /** Called as often as a host does that waits for its world. */
  const searchFor = async (ms: number) => {
    for (let at = 0; at < ms; at += 250) {
      search(running)
      await clock.advance(250)
    }
  }
  return { asked, found, searchFor }
}

test('25565 is asked at each address of the machine, every four seconds', async () => {
  const { asked, found, searchFor } = searchIn({ '::1 25565': 'modern' }, {})
  await searchFor(4000)
  assert.equal(asked, ['127.0.0.1 25565', '::1 25565', '192.168.1.9 25565'])
  assert.equal(each(found, 'address'), ['::1'])
  assert.is(found[0]?.isOfUser, false)
  await searchFor(4000)
  assert.is(found.length, 2)
})

test('a port that accepts connections and says nothing is left in peace for 20 s, and never offered', async () => {
  const sockets = Promise.resolve([socket(7, { address: '192.168.1.9' })])
  const { asked, found, searchFor } = searchIn({ '192.168.1.9 7': 'connect' }, { sockets })
  await searchFor(20_000)
  assert.is(asked.filter((key) => key.endsWith(' 7')).length, 1)
  await searchFor(4000)
  assert.is(asked.filter((key) => key.endsWith(' 7')).length, 2)
  assert.equal(found, [])
})

test('only Java’s ports, 25565 and those of logs are asked; whose they are goes by the system', () => {
  const sockets = [socket(1), socket(2, { isJava: false }), socket(3, { isJava: false, isOfUser: false })]
  assert.equal(
    candidatesIn([...sockets, socket(1, { address: '::' })], [3, 4]).map(({ port, isOfUser }) => [
      port,
      isOfUser,
    ]),
    [
      [1, true],
      [3, false],
      [25_565, false],
      [4, true],
    ],
  )
})

test.run()
