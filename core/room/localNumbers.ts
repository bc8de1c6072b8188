import { createEmitter } from '@lantern-room/base/async'
import type { PortTransport } from '@lantern-room/base/network'

/**
 * Why a port of the host has another number on a guest's machine, or none.
 * `unasked`: only the player may say that the number is used here. `reserved`: no host gets it, whatever the player says.
 * `taken`: a program of this machine listens there. `no-free-port`: no other number could be opened either.
 */
export const NUMBER_REASONS = ['unasked', 'reserved', 'taken', 'no-free-port'] as const
export type NumberReason = (typeof NUMBER_REASONS)[number]

/** Whether a guest may use the host's number on this machine, or why not. */
export type NumberRule = 'same' | Extract<NumberReason, 'unasked' | 'reserved'>

/** From here on no port has an owner (RFC 6335, 6, "Dynamic Ports"). */
export const FIRST_DYNAMIC_PORT = 49_152
const LAST_PORT = 65_535
const FIRST_USER_PORT = 1024
/** Linux draws from here on (`net.ipv4.ip_local_port_range`) what a world that is opened to LAN listens on. */
const FIRST_DRAWN_PORT = 32_768

type Numbers = { readonly from: number; readonly to: number }
type NamedNumbers = Numbers & { readonly reason: string }

/**
 * Numbers that a guest uses unasked, since its game or voice program comes to this number and no other: it is fixed in the
 * program, or told by the host's world. Where a person can type or click another number, as for map pages (8123, 8100, 8080,
 * which home servers and databases have, too), that one does as well. Ports for commands are left out on purpose: RCON (25575),
 * TeamSpeak's queries (10011).
 * @see docs/decisions.md, D165
 */
const GAME_NUMBERS: Readonly<Record<PortTransport, readonly NamedNumbers[]>> = {
  tcp: [
    {
      from: 25_565,
      to: 25_569,
      reason:
        'Minecraft Java: `server-port` of server.properties, which the game uses where no port is typed, and the next ones, for more worlds of one machine',
    },
  ],
  udp: [
    {
      from: 25_565,
      to: 25_569,
      reason:
        '`query.port` of server.properties; voice mods at the world’s number, which the world tells: Plasmo Voice (`port = 0`), Simple Voice Chat (`port=-1`)',
    },
    {
      from: 19_132,
      to: 19_133,
      reason:
        'Minecraft Bedrock and Geyser: `server-port` and `server-portv6`; the game pings these numbers for worlds on the LAN',
    },
    {
      from: 24_454,
      to: 24_459,
      reason:
        'Simple Voice Chat: `port` of voicechat-server.properties, which the world tells, and the next ones, for more worlds of one machine',
    },
    {
      from: 9987,
      to: 9987,
      reason: 'TeamSpeak: the voice port, which the program uses where none is typed',
    },
  ],
}

/** Above the dynamic ports’ begin, yet where programs of this machine are looked for by their number. */
const KNOWN_SERVICES: readonly NamedNumbers[] = [
  { from: 50_051, to: 50_051, reason: 'gRPC, by custom' },
  { from: 61_613, to: 61_616, reason: 'ActiveMQ' },
  { from: 63_342, to: 63_361, reason: 'the web server inside JetBrains’ programs' },
]

/** Numbers that no host gets on a guest's machine, beside those below 1024, which are the system's. */
const RESERVED_NUMBERS: readonly NamedNumbers[] = [
  { from: 4445, to: 4445, reason: 'worlds are announced on the LAN there' },
  { from: 5062, to: 5062, reason: 'launchers look for the room service there, and give it orders' },
  { from: 5353, to: 5353, reason: 'multicast DNS' },
  { from: 24_445, to: 24_445, reason: 'a guest’s announcements come from there' },
]

const MAX_KEPT_NUMBERS = 32

/** What holds for the numbers that a player allows; the rules are ends of sentences. */
export const KEPT_NUMBERS = {
  max: MAX_KEPT_NUMBERS,
  ruleOfEach: `must be a port from ${FIRST_USER_PORT} to ${LAST_PORT}, but none of ${RESERVED_NUMBERS.map(({ from }) => from).join(', ')}, which no host gets on this machine`,
  ruleOfList: `must be a list of up to ${MAX_KEPT_NUMBERS} ports, such as [8123]`,
} as const

/**
 * Whether the player of a guest may allow a host this number.
 * @example isAllowable(8123) // true
 */
export function isAllowable(port: number): boolean {
  return Number.isInteger(port) && port <= LAST_PORT && !isReserved(port)
}

/**
 * Decides on which number a guest listens for a port that the host shares beside the world's.
 * @param isAllowed whether the player has said that this number may be used
 */
export function numberRule(
  transport: PortTransport,
  port: number,
  isAllowed: (port: number) => boolean,
): NumberRule {
  if (!isAllowable(port)) return 'reserved'
  if (isAllowed(port) || isIn(GAME_NUMBERS[transport], port)) return 'same'
  return port >= FIRST_DYNAMIC_PORT && !isIn(KNOWN_SERVICES, port) ? 'same' : 'unasked'
}

/** As `numberRule`, for the world's own port, which is opened in TCP and UDP: what a system draws for a world is used, too. */
export function worldNumberRule(port: number, isAllowed: (port: number) => boolean): NumberRule {
  const rules = [numberRule('tcp', port, isAllowed), numberRule('udp', port, isAllowed)]
  if (rules.includes('reserved')) return 'reserved'
  const isDrawn = port >= FIRST_DRAWN_PORT && port < FIRST_DYNAMIC_PORT
  return isDrawn || rules.includes('same') ? 'same' : 'unasked'
}

/** A number that has no owner. @param random a whole number from 0 to below its argument */
export function drawNumber(random: (below: number) => number): number {
  for (;;) {
    const port = FIRST_DYNAMIC_PORT + random(LAST_PORT + 1 - FIRST_DYNAMIC_PORT)
    if (!isIn(KNOWN_SERVICES, port)) return port
  }
}

export type KeptNumbers = ReturnType<typeof createKeptNumbers>

/** The numbers that the player of a guest has allowed the host: in the order, and since. */
export function createKeptNumbers(initial: readonly number[]) {
  const changes = createEmitter<void>()
  let allowed = initial
  return {
    all: (): readonly number[] => allowed,
    isAllowed: (port: number): boolean => allowed.includes(port),
    /** @param ports in place of those before; they are allowable */
    allowOnly(ports: readonly number[]): void {
      allowed = ports
      changes.emit()
    },
    onChange: changes.subscribe,
  }
}

function isReserved(port: number): boolean {
  return port < FIRST_USER_PORT || isIn(RESERVED_NUMBERS, port)
}

function isIn(numbers: readonly Numbers[], port: number): boolean {
  return numbers.some(({ from, to }) => port >= from && port <= to)
}
