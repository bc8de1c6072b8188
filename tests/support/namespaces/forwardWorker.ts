import { createSocket } from 'node:dgram'
import { createLanAnnouncer } from '@lantern-room/adapters/lan'
import { createSystemClock } from '@lantern-room/adapters/system'
import { untilAborted } from '@lantern-room/base/async'
import { GAME_SENDER } from '#support/room/gameSender'

// Listens for LAN announcements as any program does, in a process that a test can put into a network of its own, and may
// announce a world itself: `forwardWorker.mjs <interface address> [forward|game]`. Prints the texts heard in 5 s.

const [address = '', as] = process.argv.slice(2)
const heard = new Set<string>()
const log = { debug: tell, info: tell, warn: tell, error: tell }
const clock = createSystemClock()
const receiver = createSocket({ type: 'udp4', reuseAddr: true })
receiver.on('message', (bytes) => heard.add(bytes.toString()))
receiver.bind(4445, '224.0.2.60', () => receiver.addMembership('224.0.2.60', address))
const stop = new AbortController()
setTimeout(() => stop.abort(), 5000)
if (as === 'forward' || as === 'game') {
  const lan = { clock, log, interfaces: [address] }
  const announcer = as === 'game' ? createLanAnnouncer(lan, GAME_SENDER) : createLanAnnouncer(lan)
  await announcer.announce({ motd: `a ${as}`, port: 25_565 }, stop.signal)
} else await untilAborted(stop.signal)
receiver.close()
console.log(JSON.stringify([...heard]))

function tell(message: string, fields?: Record<string, unknown>): void {
  console.error(message, JSON.stringify(fields))
}
