import { type Environment, readSettings } from '../environment'

export const ROOM_LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type RoomLogLevel = (typeof ROOM_LOG_LEVELS)[number]

/** Everything the room service can be told from outside. */
export type RoomConfig = {
  readonly port: number
  /** Shared with the media API; undefined = the user's own default folder. */
  readonly dataDir: string | undefined
  readonly token: string | undefined
  /** Web pages that may call the service, beside its own. */
  readonly allowedOrigins: readonly string[]
  /** Where the host's room protocol listens on loopback. */
  readonly scaffoldingPort: number
  /** Addresses or names of the interfaces for the LAN; undefined = all. */
  readonly lanInterfaces: readonly string[] | undefined
  /** Shared nodes where members meet. */
  readonly nodes: readonly string[]
  /** `host:port` of STUN servers. */
  readonly stunServers: readonly string[]
  /** Whether members may connect to each other without a shared node between. */
  readonly isDirect: boolean
  /** Whether a new room is private when the order does not say. */
  readonly isPrivate: boolean
  /** How often a guest tells the host that it is there. */
  readonly heartbeatMs: number
  readonly logLevel: RoomLogLevel
}

/** What the launchers of this kind of room ship. */
export const DEFAULT_NODES = ['tcp://public.easytier.top:11010', 'tcp://public2.easytier.cn:54321']
export const DEFAULT_STUN = [
  'stun.miwifi.com:3478',
  'stun.chat.bilibili.com:3478',
  'stun.hitv.com:3478',
  'stun.l.google.com:19302',
]

const MAX_NODES = 8

/** @throws ConfigError naming every bad variable with its allowed values */
export function readRoomConfig(env: Environment): RoomConfig {
  const read = readSettings(env)
  const config: RoomConfig = {
    port: read.integer('ROOM_PORT', { fallback: 5062, min: 0, max: 65_535, unit: '0 = any free port' }),
    dataDir: read.text('DATA_DIR'),
    token: read.parsed(
      'ROOM_API_TOKEN',
      'at least 8 characters of A–Z a–z 0–9 - . _ ~ + / (and = at the end)',
      (raw) => (/^[A-Za-z0-9\-._~+/]{8,}=*$/.test(raw) ? raw : undefined),
    ),
    allowedOrigins:
      read.parsed(
        'ROOM_ALLOWED_ORIGINS',
        'origins such as https://launcher.example.com, separated by commas',
        (raw) => listOf(raw, parseOrigin),
      ) ?? [],
    scaffoldingPort: read.integer('SCAFFOLDING_PORT', { fallback: 13_448, min: 1025, max: 65_535 }),
    lanInterfaces: read.parsed(
      'ROOM_LAN_INTERFACES',
      'addresses or names of network interfaces, separated by commas',
      (raw) => listOf(raw, (word) => (/^[\w.:%-]{1,64}$/.test(word) ? word : undefined)),
    ),
    nodes: nodeList(),
    stunServers: stunList(),
    isDirect: read.choice('ROOM_DIRECT', ['on', 'off'], 'on') === 'on',
    isPrivate: read.flag('ROOM_PRIVATE', false),
    heartbeatMs: read.integer('ROOM_HEARTBEAT_MS', {
      fallback: 5000,
      min: 200,
      max: 10_000,
      unit: 'milliseconds',
    }),
    logLevel: read.choice('LOG_LEVEL', ROOM_LOG_LEVELS, 'info'),
  }
  read.finish()
  return config

  function nodeList(): readonly string[] {
    // Set and empty is an answer here: no shared node at all, only the LAN.
    if (env.ROOM_NODES?.trim() === '' || env.ROOM_NODES?.trim().toLowerCase() === 'none') return []
    const allowed = `up to ${MAX_NODES} addresses such as tcp://node.example.com:11010 (tcp, udp, ws, wss, http, https), separated by commas; empty for none`
    return (
      read.parsed('ROOM_NODES', allowed, (raw) => {
        const nodes = listOf(raw, parseNode)
        return nodes && nodes.length <= MAX_NODES ? nodes : undefined
      }) ?? DEFAULT_NODES
    )
  }

  function stunList(): readonly string[] {
    if (env.ROOM_STUN?.trim() === '' || env.ROOM_STUN?.trim().toLowerCase() === 'none') return []
    return (
      read.parsed(
        'ROOM_STUN',
        'servers such as stun.example.com:3478, separated by commas; empty for none',
        (raw) =>
          listOf(raw, (word) => (/^(\[[0-9a-f:.]+\]|[\w.-]+):\d{1,5}$/i.test(word) ? word : undefined)),
      ) ?? DEFAULT_STUN
    )
  }
}

/** Every word must be right; no word at all is a mistake. */
function listOf(raw: string, parse: (word: string) => string | undefined): readonly string[] | undefined {
  const words = raw
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)
    .map(parse)
  const right = words.filter((word) => word !== undefined)
  return right.length > 0 && right.length === words.length ? right : undefined
}

function parseOrigin(word: string): string | undefined {
  const url = URL.canParse(word) ? new URL(word) : undefined
  if (!url || url.origin === 'null' || url.pathname !== '/' || url.search || url.hash) return undefined
  return url.origin
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  tcp: 11_010,
  udp: 11_010,
  ws: 80,
  wss: 443,
  http: 80,
  https: 443,
}

/** A node's address as `scheme://host:port`, or with its path for a list. */
function parseNode(word: string): string | undefined {
  const match = /^(tcp|udp|ws|wss|http|https):\/\/(\[[0-9a-f:.]+\]|[\w.-]+)(?::(\d{1,5}))?(\/\S*)?$/i.exec(
    word,
  )
  if (!match) return undefined
  const [, scheme = '', host = '', portText, path = ''] = match
  const port = portText === undefined ? DEFAULT_PORTS[scheme.toLowerCase()] : Number(portText)
  if (port === undefined || port < 1 || port > 65_535) return undefined
  return `${scheme.toLowerCase()}://${host}:${port}${path === '/' ? '' : path}`
}
