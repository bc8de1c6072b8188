/** What is needed of the machine on which a game runs, and of its LAN. Adapters implement these types. */

import type { ByteStream, DatagramFlow } from '@lantern-room/base/bytes'

/** A world that was announced on the local network. */
export type GameAnnouncement = {
  /** Its address as reachable from this machine, without the port. */
  readonly address: string
  readonly port: number
  readonly motd: string
  /** Whether this machine announced it. */
  readonly isLocal: boolean
  /** The edition of the game; undefined = Java. */
  readonly edition?: 'bedrock'
  /** Set where a search of this machine has found it without an announcement: it is shared only when it is chosen. */
  readonly found?: { readonly isOfUser: boolean }
}

/** A TCP socket of this machine that listens. */
export type ListeningSocket = {
  /** `0.0.0.0` or `::` stands for every address. */
  readonly address: string
  readonly port: number
  /** Whether a Java program has it. */
  readonly isJava: boolean
  /** Whether a program of this user has it; false where that cannot be told. */
  readonly isOfUser: boolean
}

/** What is needed to find worlds of this machine that are not announced. */
export type MachineWorlds = {
  /** This machine's addresses where its programs may listen, loopback among them. */
  addresses(): readonly string[]
  /** Never rejects: what the system does not tell is left out. */
  listening(signal: AbortSignal): Promise<readonly ListeningSocket[]>
  /** Ports on which the logs of this user's games say that a world was opened. Never rejects. */
  loggedPorts(): Promise<readonly number[]>
}

/** Listens for announcements of worlds on the LAN. */
export type LanListener = {
  /** Runs until the signal aborts; resolves once every socket is closed. Failures of one interface are logged, not thrown. */
  listen(
    onAnnouncement: (announcement: GameAnnouncement) => void,
    signal: AbortSignal,
    /** Whether nothing may be asked now, for listeners that ask. @default always may */
    isPaused?: () => boolean,
    /** Called with true when another program keeps the port of announcements for itself, and with false once it can be heard there. */
    onHeld?: (isHeld: boolean) => void,
  ): Promise<void>
}

/** Announces a world on the LAN every 1.5 s until the signal aborts; resolves once every socket is closed. */
export type LanAnnouncer = {
  announce(world: { readonly motd: string; readonly port: number }, signal: AbortSignal): Promise<void>
}

/** What a game server has told of itself; undefined where its answer does not say. */
export type GameStatus = {
  /** The probe that was answered. `connect`: no ping, only a TCP connection. `raknet`: by UDP, the Bedrock edition. */
  readonly by: 'modern' | 'legacy' | 'connect' | 'raknet'
  readonly motd: string | undefined
  readonly version: string | undefined
  readonly onlinePlayers: number | undefined
  readonly maxPlayers: number | undefined
}

/**
 * Asks a game server: the modern server-list ping, the legacy one, a plain connect, and the Bedrock edition's ping by UDP; the
 * first ping that answers counts.
 * @returns undefined when nothing answers in 3 s
 */
export type ProbeGame = (
  at: { readonly address: string; readonly port: number },
  signal: AbortSignal,
) => Promise<GameStatus | undefined>

/** A way to ask a game server for its status by one datagram. */
export type DatagramPing = {
  request(): Uint8Array
  /** @returns undefined for anything else; never throws */
  read(datagram: Uint8Array): GameStatus | undefined
}

/** A way to ask a game server for its status over TCP. */
export type ServerPing = {
  /** The bytes to send as soon as the connection is established. */
  request(at: { readonly address: string; readonly port: number }): Uint8Array
  /**
   * Reads all bytes that have arrived so far; never throws.
   * @returns `partial` when more bytes are needed, `invalid` when no further bytes can make it valid
   */
  read(received: Uint8Array): GameStatus | 'partial' | 'invalid'
}

/** Whether a TCP port of 127.0.0.1 can be listened on now. */
export type IsPortFree = (port: number) => Promise<boolean>

/** TCP and UDP of this machine, to programs on it. */
export type LocalNet = {
  /**
   * Listens for TCP of programs on this machine, IPv4 and IPv6 where there is one, on the same port.
   * @param ports tried in order; 0 = any free one
   * @param at `every-address` for games, which connect to this machine's LAN address when they found the world by its
   * announcement; connections from other machines are refused in any case. @default 'loopback'
   * @throws ServiceError `unavailable` when none can be used
   */
  listen(
    ports: readonly number[],
    onStream: (stream: ByteStream) => void,
    signal: AbortSignal,
    at?: 'loopback' | 'every-address',
  ): Promise<{ readonly port: number; readonly closed: Promise<void> }>
  /**
   * Connects to a TCP port of this machine.
   * @param signal gives up. @default none; it takes at most 5 s
   * @param address of this machine. @default 127.0.0.1, and ::1 where that one refuses
   * @throws Error when refused or not answered in 5 s
   */
  connect(port: number, signal?: AbortSignal, address?: string): Promise<ByteStream>
  /**
   * Receives UDP datagrams of programs on this machine, on all of its addresses. One flow per client address; a flow
   * without traffic for 180 s closes.
   * @returns false when the port cannot be used
   */
  listenDatagrams(port: number, onFlow: (flow: DatagramFlow) => void, signal: AbortSignal): Promise<boolean>
  /** A flow to a UDP port of this machine, from a socket of its own. @param address of this machine. @default 127.0.0.1 */
  openDatagrams(port: number, address?: string): DatagramFlow
}

/**
 * The names of the mods' files in a folder, without those below it.
 * @param field by which the client knows the folder
 * @throws ServiceError `invalid-request`
 */
export type ListMods = (folder: string, field: string) => Promise<readonly string[]>
