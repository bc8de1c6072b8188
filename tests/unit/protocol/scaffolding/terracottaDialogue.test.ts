import { createScaffoldingClient, handshake } from '#internal/protocol/scaffolding/client'
import { createFakeClock } from '#support/network/fakeClock'
import { streamPair } from '#support/network/streamPair'
import { assert, suite } from '#support/runner/suite'
import { requestOf } from '#support/terracotta/requestOf'
import { text } from '#support/values/bytes'
import { hex, toHex } from '#support/values/hex'
import dialogues from '../../../fixtures/room/terracotta-dialogues.json'
import { connect, createHosted, disconnect, STEVE } from './hosted'

// What Terracotta's guest and host say, byte by byte. flows/room/terracotta compares it with the real program.
const test = suite('the room protocol with Terracotta')

const TERRACOTTA_ID = 'f'.repeat(32)

type Step = {
  readonly name: string
  readonly request: string
  readonly text?: string
  readonly data?: string
  readonly opensWorldAfterMs?: number
}

for (const { name, isBeforeWorld, steps } of dialogues.guests as readonly {
  name: string
  isBeforeWorld: boolean
  steps: readonly Step[]
}[]) {
  test(`its guest at our host: ${name}`, async () => {
    const hosted = createHosted()
    if (isBeforeWorld) hosted.world.port = undefined
    const { ask } = connect(hosted)
    for (const step of steps) {
      const answer = ask(requestOf(step))
      if (step.opensWorldAfterMs !== undefined) {
        await hosted.clock.advance(step.opensWorldAfterMs)
        hosted.world.port = 25_565
      }
      const response = await answer
      // Any other status ends its session.
      assert.is(response?.status, 0, step.name)
      if (step.data !== undefined) assert.is(toHex(response?.data ?? hex('')), step.data.replaceAll(' ', ''))
      if (step.name === 'c:player_profiles_list') acceptsList(new TextDecoder().decode(response?.data))
    }
    await disconnect(hosted)
  })
}

/** The checks of its guest on a list, each of which ends the session. */
function acceptsList(json: string): void {
  const list = JSON.parse(json) as { machine_id: string; name: string; vendor: string; kind: string }[]
  assert.is(list.filter(({ kind }) => kind === 'HOST').length, 1)
  assert.ok(list.every(({ kind }) => kind === 'HOST' || kind === 'GUEST'))
  assert.is(list.filter(({ machine_id }) => machine_id === TERRACOTTA_ID).length, 1)
  assert.is(new Set(list.map(({ machine_id }) => machine_id)).size, list.length)
}

test('our guest at its host: one request at a time, and none that it does not know', async () => {
  const [near, far] = streamPair()
  const stop = new AbortController()
  const client = createScaffoldingClient(near, { clock: createFakeClock(), signal: stop.signal })
  const heard: string[] = []
  const answering = (async () => {
    for (let bytes = await far.read(); bytes; bytes = await far.read()) {
      const kind = new TextDecoder().decode(bytes.subarray(1, 1 + (bytes[0] ?? 0)))
      const known = dialogues.host.find((one) => one.name === kind)
      heard.push(known ? kind : `unknown ${kind}`)
      await far.write(
        known ? Uint8Array.of(...hex(known.response), ...text(known.text ?? '')) : hex('ff 00000000'),
      )
    }
  })().catch(() => undefined)
  assert.equal(await handshake(client, STEVE), {
    protocols: ['c:ping', 'c:protocols', 'c:server_port', 'c:player_ping', 'c:player_profiles_list'],
    world: 25_565,
  })
  assert.equal(
    (await client.profiles()).map(({ name, kind }) => [name, kind]),
    [
      ['Alex', 'HOST'],
      ['57e7e', 'GUEST'],
    ],
  )
  assert.equal(heard, ['c:ping', 'c:player_ping', 'c:protocols', 'c:server_port', 'c:player_profiles_list'])
  stop.abort()
  await answering
})

test.run()
