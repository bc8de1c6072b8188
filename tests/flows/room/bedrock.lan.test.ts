import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { raknetPing } from '@lantern-room/game'
import { closingOfEachTest } from '#support/process/closing'
import { startBedrockWorld } from '#support/room/bedrockWorld'
import { hasBedrock, pingBedrock, WHY_NO_GAME } from '#support/room/realGame'
import { type RoomProcess, startRoomProcess } from '#support/room/roomProcess'
import { assert, suite } from '#support/runner/suite'
import { eventually } from '#support/values/until'

const test = suite('A world of the Bedrock edition', { timeoutMs: 360_000 })

const BEDROCK_PORT = 19_132
const { keep } = closingOfEachTest(test)
const LIMIT_MS = 60_000
const withBedrock = test.skipUnless(hasBedrock, WHY_NO_GAME)

test('it is found, hosted when its port is chosen, and answers a guest by UDP', () =>
  withGuest('Caves', async (gamePort) => {
    // The world itself has the number on this machine.
    assert.is.not(gamePort, BEDROCK_PORT)
    assert.is(raknetPing.read(await exchange(gamePort, raknetPing.request()))?.motd, 'Caves')
    assert.equal(await exchange(gamePort, Uint8Array.of(7, 8)), Uint8Array.of(7, 8))
  }))

withBedrock('it answers the ping of bedrock-protocol through the room, with its own text', () =>
  withGuest('我的洞穴 🏠', async (gamePort) => {
    const answer = await pingBedrock(gamePort)
    assert.equal(
      [answer.motd, answer.version, answer.protocol, answer.playersOnline, answer.playersMax],
      ['我的洞穴 🏠', '1.21.50', '766', 2, 10],
    )
  }),
)

/** A world that is found and hosted, and a guest's port that leads to it. */
async function withGuest(name: string, work: (gamePort: number) => Promise<void>): Promise<void> {
  keep(await startBedrockWorld(name, BEDROCK_PORT))
  const [host, guest] = (await Promise.all([startRoomProcess(), startRoomProcess()])).map(keep) as [
    RoomProcess,
    RoomProcess,
  ]
  const look = async () => {
    const { servers } = (await host.ask('/game/servers')).body as { servers: Server[] }
    return servers.find(({ edition, isVerified }) => edition === 'bedrock' && isVerified)
  }
  const found = await eventually(look, (seen) => seen !== undefined, { ms: LIMIT_MS, everyMs: 50 })
  assert.equal([found?.endPoint, found?.motd, found?.local], [`127.0.0.1:${BEDROCK_PORT}`, name, true])

  const code = await host.host('Alex')
  await sleep(1000)
  assert.is((await host.status()).state, 'Host_GameDetecting', 'it is not shared unasked')
  await host.ask('/room/host/game', { gamePort: BEDROCK_PORT })
  await host.until('Host_Running', LIMIT_MS)
  assert.is((await host.status()).gamePort, BEDROCK_PORT)

  await guest.join(code, 'Steve')
  await guest.until('Guest_Running', LIMIT_MS)
  await work((await guest.status()).gamePort)
}

type Server = {
  readonly endPoint: string
  readonly motd: string
  readonly isVerified: boolean
  readonly local: boolean
  readonly edition: string
}

/** Sends a datagram to a port of this machine until one comes back. */
async function exchange(port: number, bytes: Uint8Array): Promise<Uint8Array> {
  const socket = createSocket('udp4')
  const send = () => socket.send(bytes, port, '127.0.0.1')
  const again = setInterval(send, 500)
  try {
    send()
    const [answer] = (await once(socket, 'message', { signal: AbortSignal.timeout(LIMIT_MS) })) as [Buffer]
    return new Uint8Array(answer)
  } finally {
    clearInterval(again)
    socket.close()
  }
}

test.run()
