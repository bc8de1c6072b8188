import type { FeedHello, FeedMessage } from '@lantern-room/room/client'
import { askJson } from '../../shared/ask'
import { token } from '../../shared/token'
import type { WorldRecord } from '../state/records'
import { steady } from './steady'
import { hasQuit, isAway, noteGuests, noteLine, refresh, refreshProgram, worlds } from './store'

const FIRST_WAIT_MS = 300
const LONGEST_WAIT_MS = 5000

/** The last message, and the run of the service that it came from. */
let last: number | undefined
let run = ''
let waitMs = FIRST_WAIT_MS

/** Listens to the service for as long as the page is open; after a break it goes on where it was. */
export function follow(): void {
  const socket = connect()
  socket.onopen = () => {
    waitMs = FIRST_WAIT_MS
    isAway.value = false
    hasQuit.value = false
    void catchUp()
  }
  socket.onmessage = ({ data }) => take(JSON.parse(String(data)) as FeedMessage | FeedHello)
  socket.onclose = () => {
    isAway.value = true
    // Started anew, it may want another token, which a socket is not told.
    void refresh().catch(() => {})
    setTimeout(follow, waitMs)
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)
  }
}

function connect(): WebSocket {
  const address = new URL('/ws', location.href)
  address.protocol = address.protocol.replace('http', 'ws')
  if (last !== undefined) {
    address.searchParams.set('since', String(last))
    address.searchParams.set('run', run)
  }
  const given = token.value
  if (given === undefined) return new WebSocket(address)
  // A subprotocol is in no log; but not every token can be one.
  if (/^[\w!#$%&'*+.^`|~-]+$/.test(given)) return new WebSocket(address, given)
  address.searchParams.set('token', given)
  return new WebSocket(address)
}

let newestWorlds: readonly WorldRecord[] = []

/** What is chosen at a press is what was on the screen. */
async function noteWorlds(servers: readonly WorldRecord[]): Promise<void> {
  newestWorlds = servers
  await steady()
  worlds.value = newestWorlds
}

async function catchUp(): Promise<void> {
  const listed = askJson<{ servers: WorldRecord[] }>('/game/servers')
  const noted = listed.then(({ servers }) => noteWorlds(servers))
  await Promise.all([refresh(), noted, refreshProgram()]).catch(() => {})
}

function take(message: FeedMessage | FeedHello): void {
  if (message.type === 'hello') {
    run = message.runId
    return
  }
  last = message.index
  if (message.type === 'log') noteLine(message)
  else if (message.type === 'worlds') void noteWorlds(message.servers)
  // Connections are measured every few seconds: nothing else need be asked for.
  else if (message.type === 'guests') noteGuests(message.guests, message.connections)
  else void refresh().catch(() => {})
}
