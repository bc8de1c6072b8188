import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSystemClock } from '@lantern-room/adapters/system'
import { createNodeTransports } from '@lantern-room/adapters/transports'
import { createGreedyMember } from '#support/room/greedyMember'
import { roomOf, testRoomNetwork } from '#support/room/testRoomNetwork'
import { silentLog } from '#support/values/testLog'

// `greedyWorker.mjs <room code> <relay> <members> <port of the world> <victim>`: so many members who try every attack at
// once, again and again, from the line `go` on until they are killed.

const [code = '', relay = '', count = '', worldPort = '', victim = ''] = process.argv.slice(2)
const ROUND_MS = 5000
const clock = createSystemClock()
setMaxListeners(0)

const members = await Promise.all(
  Array.from({ length: Number(count) }, async (_, at) => {
    const transports = createNodeTransports({ lanInterfaces: ['127.0.0.1'], clock, log: silentLog() })
    const network = testRoomNetwork({ transports, nodes: [relay], clock })
    const { signal } = new AbortController()
    const session = await network.join({ room: roomOf(code), onStep() {}, signal })
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
