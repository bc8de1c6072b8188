import { createLanAnnouncer } from '@lantern-room/adapters/lan'
import { createSystemClock } from '@lantern-room/adapters/system'
import { untilAborted } from '@lantern-room/base/async'
import { createReceiver } from '#internal/adapters/lan/receiver'
import { GAME_SENDER } from '#internal/adapters/lan/sender'

// Listens for LAN announcements as any program does, in a process that a test can put into a network of its own, and may
// announce a world itself: `forwardWorker.mjs <interface address> [forward|game]`. Prints the texts heard in 5 s.

const [address = '', as] = process.argv.slice(2)
const heard = new Set<string>()
const log = { debug: tell, info: tell, warn: tell, error: tell }
const clock = createSystemClock()
const receiver = createReceiver(
  'ipv4',
  (bytes) => void heard.add(new TextDecoder().decode(bytes)),
  (...problem) => tell('problem', { problem: String(problem) }),
)
receiver.join([address])
const stop = new AbortController()
setTimeout(() => stop.abort(), 5000)
if (as === 'forward' || as === 'game') {
  const lan = { clock, log, interfaces: [address] }
  const announcer = as === 'game' ? createLanAnnouncer(lan, GAME_SENDER) : createLanAnnouncer(lan)
  await announcer.announce({ motd: `a ${as}`, port: 25_565 }, stop.signal)
} else await untilAborted(stop.signal)
await receiver.close()
console.log(JSON.stringify([...heard]))

function tell(message: string, fields?: Record<string, unknown>): void {
  console.error(message, JSON.stringify(fields))
}
