import { connect } from 'node:net'
import { createLanAnnouncer } from '@lantern-room/adapters/lan'
import { createSystemClock } from '@lantern-room/adapters/system'
import { openSocketServer } from '#support/process/openPort'
import { GAME_SENDER } from '#support/room/gameSender'
import { silentLog } from '../values/testLog'

/** What a game of today answers to the server-list ping before 1.7: `A test world`, one of eight players. */
const LEGACY_TEXT = '§1\u0000127\u00001.21.4\u0000A test world\u00001\u00008'
const LEGACY_RESPONSE = Buffer.concat([
  Buffer.of(0xff, 0, LEGACY_TEXT.length),
  Buffer.from(LEGACY_TEXT, 'utf16le').swap16(),
])

export type TestWorld = {
  readonly port: number
  /** Sends a line to a port of this machine behind which the world lies. @returns the line that comes back */
  echoThrough(port: number, line: string): Promise<string>
  /** Connections that are open now. */
  connections(): number
  /** Takes nothing more and announces nothing; the port is free when it resolves. */
  close(): Promise<void>
}

/**
 * A small game server: it answers the server-list ping, and sends back whatever begins with `echo `.
 * @param options.announced whether it is on the LAN of 127.0.0.1, or the address of this machine on whose LAN it is
 */
export async function startWorld(
  options: { announced?: boolean | string; port?: number; motd?: string } = {},
): Promise<TestWorld> {
  const { port, connections, close } = await openSocketServer((socket) => {
    socket.once('data', (first) => {
      if (first.subarray(0, 5).toString() === 'echo ') {
        socket.write(first)
        socket.pipe(socket)
      } else if (first[0] === 0xfe) socket.end(LEGACY_RESPONSE)
      else socket.write(statusResponse(options.motd ?? 'A test world'))
    })
  }, options.port)
  const stopping = new AbortController()
  const announcing = options.announced
    ? createLanAnnouncer(
        {
          interfaces: [options.announced === true ? '127.0.0.1' : options.announced],
          clock: createSystemClock(),
          log: silentLog(),
        },
        GAME_SENDER,
      ).announce({ motd: options.motd ?? 'A test world', port }, stopping.signal)
    : Promise.resolve()
  return {
    port,
    echoThrough: async (through, line) =>
      (await echoOf(through, Buffer.from(`echo ${line}`))).toString('utf8', 5),
    connections,
    async close() {
      stopping.abort()
      await announcing
      await close()
    },
  }
}

export type MuteServer = {
  readonly port: number
  /** How many connections it has accepted. */
  connections(): number
  close(): Promise<void>
}

/** A TCP server on 127.0.0.1 that accepts connections and never sends anything. */
export async function startMuteServer(): Promise<MuteServer> {
  let connections = 0
  const { port, close } = await openSocketServer((socket) => {
    connections += 1
    socket.resume()
  })
  return { port, connections: () => connections, close }
}

/** Handshake and status request are in; this is the whole status response. */
function statusResponse(motd: string): Uint8Array {
  const json = Buffer.from(
    JSON.stringify({
      version: { name: '1.21.4', protocol: 769 },
      players: { max: 8, online: 1 },
      description: { text: motd },
    }),
  )
  const text = Buffer.concat([varint(json.length), json])
  return Buffer.concat([varint(text.length + 1), Buffer.of(0), text])
}

function varint(value: number): Buffer {
  return value < 0x80
    ? Buffer.of(value)
    : Buffer.concat([Buffer.of((value & 0x7f) | 0x80), varint(value >>> 7)])
}

/** What comes back of bytes that are sent to a port of this machine, as many as were sent. @throws when it is less */
export async function echoOf(port: number, sent: Uint8Array): Promise<Buffer> {
  const socket = connect(port, '127.0.0.1')
  socket.setTimeout(60_000, () => socket.destroy(new Error('nothing came back for 60 s')))
  socket.write(sent)
  const received: Buffer[] = []
  let length = 0
  for await (const bytes of socket) {
    received.push(bytes)
    length += bytes.length
    if (length >= sent.length) return Buffer.concat(received)
  }
  throw new Error(`closed after ${length} of ${sent.length} bytes`)
}
