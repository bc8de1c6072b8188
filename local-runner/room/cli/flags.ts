/** A flag that stands for an environment variable. */
export type SettingFlag = {
  readonly variable: string
  /** What it sets the variable to, for one that takes no value. */
  readonly means?: string
  /** An empty value is an answer: none. */
  readonly mayBeEmpty?: boolean
  /** A file or folder. */
  readonly isPath?: boolean
}

export type SettingFlags = Readonly<Record<string, SettingFlag>>

/** Of everything that is a player in a room. */
const NETWORK_FLAGS: SettingFlags = {
  'data-dir': { variable: 'DATA_DIR', isPath: true },
  'lan-interfaces': { variable: 'ROOM_LAN_INTERFACES' },
  nodes: { variable: 'ROOM_NODES', mayBeEmpty: true },
  stun: { variable: 'ROOM_STUN', mayBeEmpty: true },
  direct: { variable: 'ROOM_DIRECT' },
  'log-level': { variable: 'LOG_LEVEL' },
}

const HOST_FLAGS: SettingFlags = {
  private: { variable: 'ROOM_PRIVATE', means: 'true' },
  'scaffolding-port': { variable: 'SCAFFOLDING_PORT' },
}
const GUEST_FLAGS: SettingFlags = { 'heartbeat-ms': { variable: 'ROOM_HEARTBEAT_MS' } }

export const SETTING_FLAGS = {
  serve: {
    port: { variable: 'ROOM_PORT' },
    'allowed-origins': { variable: 'ROOM_ALLOWED_ORIGINS' },
    ...HOST_FLAGS,
    ...GUEST_FLAGS,
    ...NETWORK_FLAGS,
  },
  host: { ...HOST_FLAGS, ...NETWORK_FLAGS },
  join: { ...GUEST_FLAGS, ...NETWORK_FLAGS },
  doctor: { port: { variable: 'ROOM_PORT' }, ...HOST_FLAGS, ...NETWORK_FLAGS },
  relay: {
    tcp: { variable: 'ROOM_RELAY_TCP_PORT' },
    udp: { variable: 'ROOM_RELAY_UDP_PORT' },
    ws: { variable: 'ROOM_RELAY_WS_PORT' },
    host: { variable: 'ROOM_RELAY_HOST' },
    name: { variable: 'ROOM_RELAY_NAME' },
    'max-rooms': { variable: 'ROOM_RELAY_MAX_ROOMS' },
    'max-members': { variable: 'ROOM_RELAY_MAX_MEMBERS' },
    'links-per-address': { variable: 'ROOM_RELAY_LINKS_PER_ADDRESS' },
    'bytes-per-second': { variable: 'ROOM_RELAY_BYTES_PER_SECOND' },
    'log-level': { variable: 'LOG_LEVEL' },
  },
} as const satisfies Record<string, SettingFlags>

export type CommandName = keyof typeof SETTING_FLAGS

/** Flags that are the command's own. */
export const OWN_FLAGS: Readonly<Record<CommandName, Readonly<Record<string, 'value' | 'switch'>>>> = {
  serve: { 'port-file': 'value', 'parent-pid': 'value', 'exit-with-stdin': 'switch' },
  host: { name: 'value', 'game-port': 'value', room: 'value', 'no-wait': 'switch', json: 'switch' },
  join: { name: 'value', json: 'switch' },
  doctor: { json: 'switch' },
  relay: {},
}

export function isCommandName(word: string): word is CommandName {
  return Object.hasOwn(SETTING_FLAGS, word)
}
