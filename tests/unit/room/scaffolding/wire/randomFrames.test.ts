import { THIS_MACHINE } from '#core/room/roomNetwork'
import { COMMANDS } from '#core/room/scaffolding/wire/commands'
import { createFrameReader, decodeResponse, encodeRequest } from '#core/room/scaffolding/wire/frames'
import { streamPair } from '#support/network/streamPair'
import { assert, suite } from '#support/runner/suite'
import { createHosted } from '../hosted'

const test = suite('random frames', { timeoutMs: 120_000 })

const FRAMES = 100_000
const PER_CONNECTION = 100

test('100,000 random frames crash nothing and leave no connection or timer behind', async () => {
  const random = createRandom(20_260_101)
  const hosted = createHosted()
  const statuses = new Map<number, number>()
  for (let sent = 0; sent < FRAMES; sent += PER_CONNECTION) {
    const [stream, far] = streamPair({ capacity: 4096 })
    const served = hosted.server.serve(far, THIS_MACHINE)
    const listening = countStatuses(createFrameReader(stream, decodeResponse), statuses)
    try {
      const kinds = random(2) === 0 ? ALL_KINDS : WELL_FRAMED_KINDS
      for (let count = 0; count < PER_CONNECTION; count++)
        await stream.write(randomFrame(random, random(kinds)))
    } catch {
      // the server closed it, as it must after a frame that is too long
    }
    if (random(2) === 0) stream.destroy()
    else await hosted.clock.advance(64_000)
    await Promise.all([served, listening])
  }
  assert.is(hosted.server.connections, 0)
  await hosted.clock.advance(15_000)
  assert.is(hosted.clock.timers, 0)
  assert.is(hosted.registry.list().length, 1)
  assert.equal(hosted.lines, [])
  assert.ok((statuses.get(0) ?? 0) > 10_000, 'many were right')
  assert.ok((statuses.get(255) ?? 0) > 10_000, 'many were refused')
  assert.equal([...statuses.keys()].sort(), [0, 255])
})

async function countStatuses(
  reader: ReturnType<typeof createFrameReader<{ readonly status: number }>>,
  statuses: Map<number, number>,
): Promise<void> {
  try {
    for (let response = await reader.read(); response; response = await reader.read()) {
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
    }
  } catch {
    // the stream broke
  }
}

/** Half of the connections get only frames after which the next one is found, so that all of theirs are read. */
const WELL_FRAMED_KINDS = 6
const ALL_KINDS = 9

type Random = (below: number) => number

function randomFrame(random: Random, kindOfFrame: number): Uint8Array {
  const noise = (length: number) => Uint8Array.from({ length }, () => random(256))
  const kind = COMMANDS[random(COMMANDS.length)] ?? 'c:ping'
  const player = new TextEncoder().encode(
    `{"name":"n${random(3)}","machine_id":"${random(100)}","vendor":"v"}`,
  )
  switch (kindOfFrame) {
    case 0: {
      player[random(player.length)] = random(256)
      return encodeRequest({ kind: 'c:player_ping', body: player })
    }
    case 1:
      return encodeRequest({ kind: 'c:player_ping', body: player })
    case 2:
      return encodeRequest({ kind: String.fromCharCode(...noise(random(20))), body: noise(random(300)) })
    case 6:
      return noise(1 + random(40))
    case 7:
      return Uint8Array.of(random(8), ...noise(random(8)), 0, 0, random(3), random(256))
    case 8: {
      const frame = encodeRequest({ kind, body: noise(random(40)) })
      frame[random(frame.length)] = random(256)
      return frame
    }
    default:
      return encodeRequest({ kind, body: noise(random(40)) })
  }
}

/** xorshift32: the same numbers from the same seed. */
function createRandom(seed: number): Random {
  let state = seed
  return (below) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
}

test.run()
