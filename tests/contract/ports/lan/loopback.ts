import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { networkInterfaces } from 'node:os'
import { createLanAnnouncer, createLanListener } from '@lantern-room/adapters/lan'
import { createSystemClock } from '@lantern-room/adapters/system'
import type { Log } from '@lantern-room/base'
import type { Clock } from '@lantern-room/base/async'
import type { GameAnnouncement } from '@lantern-room/game/ports'
import { GAME_SENDER } from '#support/room/gameSender'
import { silentLog } from '#support/values/testLog'

// Everything stays on loopback. Other tests may announce worlds there at the same time, so each looks for its own text;
// the ports are ones where nobody listens, so that nobody's host takes them for a world.

export const group = '224.0.2.60'
export const unique = `${process.pid}-${Date.now()}`

export type Setting = {
  readonly clock?: Clock
  readonly log?: Log
  readonly interfaces?: readonly string[]
  readonly scan?: typeof networkInterfaces
}

/** Listeners and announcers that stop together. */
export function createLan() {
  const stop = new AbortController()
  const running: Promise<void>[] = []

  /** What a listener has heard of this file's worlds. */
  function listen(setting: Setting = {}, onHeld?: (isHeld: boolean) => void): GameAnnouncement[] {
    const heard: GameAnnouncement[] = []
    const listener = createLanListener(common(setting))
    const onAnnouncement = (announcement: GameAnnouncement) => {
      if (announcement.motd.includes(unique)) heard.push(announcement)
    }
    running.push(listener.listen(onAnnouncement, stop.signal, undefined, onHeld))
    return heard
  }

  function announce(name: string, port: number, setting: Setting & { as?: 'forward' } = {}): void {
    const lan = common(setting)
    const announcer =
      setting.as === 'forward' ? createLanAnnouncer(lan) : createLanAnnouncer(lan, GAME_SENDER)
    running.push(announcer.announce({ motd: `${name} ${unique}`, port }, stop.signal))
  }

  return {
    listen,
    announce,
    /** Resolves when every socket is closed. */
    stop(): Promise<unknown> {
      stop.abort()
      return Promise.all(running)
    },
  }
}

function common({
  clock = createSystemClock(),
  log = silent,
  interfaces = ['127.0.0.1'],
  scan = networkInterfaces,
}: Setting) {
  return { clock, log, interfaces, networkInterfaces: scan }
}

const silent = silentLog()

type Line = { readonly message: string; readonly fields: Record<string, unknown> | undefined }

export function recorder(): { readonly log: Log; readonly lines: Line[] } {
  const lines: Line[] = []
  const warn = (message: string, fields?: Record<string, unknown>) => void lines.push({ message, fields })
  return { log: { ...silent, warn }, lines }
}

/** Announces as a game does, until the condition holds (once without one): a listener may need a turn to be ready. */
export async function announcedByGame(
  datagram: string,
  condition: (() => boolean) | undefined,
): Promise<void> {
  const socket = await sender()
  do {
    await new Promise((sent) => socket.send(datagram, 4445, group, sent))
    await pause(20)
  } while (condition !== undefined && !condition())
  await close(socket)
}

export async function sender(): Promise<Socket> {
  const socket = createSocket('udp4')
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  socket.setMulticastInterface('127.0.0.1')
  socket.setMulticastLoopback(true)
  return socket
}

/** Receives this file's worlds as any other program does. */
export async function plainListener() {
  const socket = createSocket({ type: 'udp4', reuseAddr: true })
  const received: (readonly [Buffer, RemoteInfo])[] = []
  socket.on('message', (bytes, from) => {
    if (bytes.toString().includes(unique)) received.push([bytes, from])
  })
  socket.bind(4445, group)
  await once(socket, 'listening')
  socket.addMembership(group, '127.0.0.1')
  const next = async () => {
    await until(() => received.length > 0)
    const first = received.shift()
    if (first === undefined) throw new Error('nothing was received')
    return first
  }
  return { socket, received, next }
}

export async function close(socket: Socket): Promise<void> {
  const closed = once(socket, 'close')
  try {
    socket.close()
  } catch {
    return
  }
  await closed
}

/** The test's own time limit ends it when it never holds. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await pause(5)
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
