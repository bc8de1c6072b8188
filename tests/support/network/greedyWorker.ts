import { randomBytes } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSystemClock } from '#core/adapters/system/systemClock'
import { createTlsStreams } from '#core/adapters/tls/tlsStreams'
import { createNodeTransports } from '#core/adapters/transports/nodeTransports'
import { createRoomNetwork } from '#core/room/network/roomNetwork'
import { readRoomCode } from '#core/room/roomCode'
import { createGreedyMember } from '../room/greedyMember'
import { silentLog } from '../room/openRoom'

// `greedyWorker.mjs <room code> <relay> <members> <port of the world> <victim>`: so many members who try every attack at
// once, again and again, from the line `go` on until they are killed.

const [code = '', relay = '', count = '', worldPort = '', victim = ''] = process.argv.slice(2)
const ROUND_MS = 5000
const clock = createSystemClock()
setMaxListeners(0)

const room = readRoomCode(code).code
if (!room) throw new Error('no room code')
const members = await Promise.all(
  Array.from({ length: Number(count) }, async (_, at) => {
    const network = createRoomNetwork({
      transports: createNodeTransports({ lanInterfaces: ['127.0.0.1'], clock, log: silentLog() }),
      nodes: [relay],
      stunServers: [],
      isDirect: true,
      clock,
      randomBytes: (size) => new Uint8Array(randomBytes(size)),
      log: silentLog(),
      version: '0',
      secureStreams: createTlsStreams(),
    })
    const { signal } = new AbortController()
    const session = await network.join({ room, onStep() {}, signal })
    const name = `greedy ${process.pid} ${at}`
    return createGreedyMember(session, { worldPort: Number(worldPort), victim }, name)
  }),
)
console.log('ready')
await new Promise((resolve) => process.once('SIGUSR2', resolve))
for (;;) {
  const startedAt = performance.now()
  await Promise.race([Promise.all(members.map((member) => member.round())), sleep(4 * ROUND_MS)])
  await sleep(Math.max(100, startedAt + ROUND_MS - performance.now()))
}
