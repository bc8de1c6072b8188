import { type Environment, parseList, parseOrigin, readSettings } from '@lantern-room/base/settings'
import { parseNode } from '@lantern-room/protocol'
import { FRIEND_RELAY_BYTES_PER_SECOND } from './networkStatus'
import { DEFAULT_NODES, MAX_NODES, type NodesFrom } from './nodes/nodes'

export type RoomConfig = Readonly<ReturnType<typeof readRoomConfig>>

/** The defaults of the launchers that know these rooms. */
export const DEFAULT_STUN = [
  'stun.miwifi.com:3478',
  'stun.chat.bilibili.com:3478',
  'stun.hitv.com:3478',
  'stun.l.google.com:19302',
]

/**
 * @throws ConfigError naming every bad variable with its allowed values
 * @example const { port, nodes } = readRoomConfig(process.env)
 */
export function readRoomConfig(env: Environment) {
  const read = readSettings(env)
  const config = {
    port: read.integer('ROOM_PORT', { fallback: 5062, min: 0, max: 65_535, unit: '0 = any free port' }),
    /** Shared with the media API; undefined = the user's own default folder. */
    dataDir: read.text('DATA_DIR'),
    token: read.token('ROOM_API_TOKEN'),
    /** Web pages that may call the service, beside its own. */
    allowedOrigins:
      read.parsed(
        'ROOM_ALLOWED_ORIGINS',
        'origins such as https://launcher.example.com, separated by commas',
        (raw) => parseList(raw, parseOrigin),
      ) ?? [],
    /** Loopback port of the host's room protocol. */
    scaffoldingPort: read.integer('SCAFFOLDING_PORT', { fallback: 13_448, ...ROOM_PORT_BOUNDS }),
    /** Addresses or names of the interfaces for the LAN; undefined = all. */
    lanInterfaces: read.parsed(
      'ROOM_LAN_INTERFACES',
      'addresses or names of network interfaces, separated by commas',
      (raw) => parseList(raw, (word) => (/^[\w.:%-]{1,64}$/.test(word) ? word : undefined)),
    ),
    /** Shared nodes where members meet. */
    nodes: nodeList(),
    nodesFrom: (env.ROOM_NODES === undefined ? 'default' : 'environment') as NodesFrom,
    /** `host:port` of STUN servers. */
    stunServers: stunList(),
    /** Whether members may connect to each other directly, without a shared node. */
    isDirect: read.choice('ROOM_DIRECT', ['on', 'off'], 'on') === 'on',
    /** Whether the router is asked to open ports for direct connections. */
    mapsPorts: read.choice('ROOM_PORT_MAPPING', ['on', 'off'], 'on') === 'on',
    /** Whether this machine carries what passes between other members, when the request does not say. */
    friendRelay: read.choice('ROOM_FRIEND_RELAY', ['on', 'off'], 'off') === 'on',
    /** The limit of that. */
    friendRelayBytesPerSecond: read.integer('ROOM_FRIEND_RELAY_BYTES_PER_SECOND', {
      fallback: FRIEND_RELAY_BYTES_PER_SECOND,
      min: 10_000,
      max: 1_000_000_000,
      unit: 'bytes',
    }),
    /** Whether a new room is private when the request does not say, and brings no code. */
    isPrivate: read.flag('ROOM_PRIVATE', false),
    /** Whom a new room lets in when the request does not say. */
    admission: {
      needsApproval: read.flag('ROOM_APPROVAL', false),
      allowed:
        read.parsed('ROOM_ALLOWED_PLAYERS', 'names of players or machine ids, separated by commas', (raw) =>
          parseList(raw, (word) => (word.length <= 128 ? word : undefined)),
        ) ?? [],
    },
    /** The address of a web page that takes invitations in its fragment. */
    invitationPage: read.parsed(
      'ROOM_INVITATION_PAGE',
      'an https address without a fragment, such as https://play.example.com/join',
      (raw) => (/^https:\/\/[^\s#<>"]+$/.test(raw) && URL.canParse(raw) ? raw : undefined),
    ),
    /** Interval of a guest's heartbeats. */
    heartbeatMs: read.integer('ROOM_HEARTBEAT_MS', {
      fallback: 5000,
      min: 200,
      max: 10_000,
      unit: 'milliseconds',
    }),
    logLevel: read.logLevel(),
    /** Of the log on disk: bytes of one file (0 = no log on disk), and how many files there are. */
    logFileBytes: read.integer('ROOM_LOG_FILE_BYTES', {
      fallback: 1_000_000,
      min: 0,
      max: 100_000_000,
      unit: 'bytes; 0 = no log on disk',
    }),
    logFiles: read.integer('ROOM_LOG_FILES', { fallback: 3, min: 1, max: 20 }),
  }
  read.finish()
  return config

  function nodeList(): readonly string[] {
    if (isNone(env.ROOM_NODES)) return []
    const allowed = `up to ${MAX_NODES} addresses such as tcp://node.example.com:11010 (tcp, udp, ws, wss, http, https), separated by commas; empty for none`
    return (
      read.parsed('ROOM_NODES', allowed, (raw) => {
        const nodes = parseList(raw, parseNode)
        return nodes && nodes.length <= MAX_NODES ? nodes : undefined
      }) ?? DEFAULT_NODES
    )
  }

  function stunList(): readonly string[] {
    if (isNone(env.ROOM_STUN)) return []
    return (
      read.parsed(
        'ROOM_STUN',
        'servers such as stun.example.com:3478, separated by commas; empty for none',
        (raw) =>
          parseList(raw, (word) => (/^(\[[0-9a-f:.]+\]|[\w.-]+):\d{1,5}$/i.test(word) ? word : undefined)),
      ) ?? DEFAULT_STUN
    )
  }
}

/** Set and empty is a value here: no shared node and no STUN server at all. */
function isNone(raw: string | undefined): boolean {
  return raw?.trim() === '' || raw?.trim().toLowerCase() === 'none'
}

/** Ports on which a host may serve the room protocol: other programs take no lower one from its hostname. */
export const ROOM_PORT_BOUNDS = { min: 1025, max: 65_535 } as const
