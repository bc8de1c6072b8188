import { createLanAnnouncer, createLanListener } from '@lantern-room/adapters/lan'
import { createSystemClock } from '@lantern-room/adapters/system'
import { GAME_SENDER } from '#support/room/gameSender'

// Announces a world and listens for it, in a process that a test can put into a network of its own:
// `lanWorker.mjs <interface> …`. Prints what it hears first and ends; exit code 1 when that is nothing in 20 s.

const stop = new AbortController()
const log = { debug: tell, info: tell, warn: tell, error: tell }
const common = { clock: createSystemClock(), log, interfaces: process.argv.slice(2) }
const listener = createLanListener(common)
const announcer = createLanAnnouncer(common, GAME_SENDER)

const timer = setTimeout(() => finish(1), 90_000)
await Promise.all([
  listener.listen((announcement) => {
    console.log(JSON.stringify(announcement))
    finish(0)
  }, stop.signal),
  announcer.announce({ motd: 'a world', port: 25_565 }, stop.signal),
])

function finish(code: number): void {
  clearTimeout(timer)
  process.exitCode = code
  stop.abort()
}

function tell(message: string, fields?: Record<string, unknown>): void {
  console.error(message, JSON.stringify(fields))
}
