import type { OptionSpec } from '../../../commandLine/optionTable'

/** An option of a command; one with a `variable` stands for a setting of the environment. */
export type RoomOption = OptionSpec & {
  readonly variable?: string
  /** The value that a switch gives the variable. */
  readonly means?: string
  /** A file or folder. */
  readonly isPath?: boolean
}

export type RoomOptions = Readonly<Record<string, RoomOption>>

/** Options of every command that takes part in a room's network. */
export const NETWORK_OPTIONS = {
  nodes: {
    value: 'LIST',
    variable: 'ROOM_NODES',
    mayBeEmpty: true,
    help: [
      'shared nodes: tcp://host:port, udp, ws, wss, http(s)',
      "lists, with commas between; '' for the LAN alone",
    ],
  },
  direct: {
    value: 'on|off',
    variable: 'ROOM_DIRECT',
    help: ['connect to each other directly'],
    default: 'on',
  },
  'port-mapping': {
    value: 'on|off',
    variable: 'ROOM_PORT_MAPPING',
    help: ['ask the router for ports while you play'],
    default: 'on',
  },
  'friend-relay': {
    value: 'on|off',
    variable: 'ROOM_FRIEND_RELAY',
    help: ['carry for players without a direct path'],
    default: 'off',
  },
  'friend-relay-bytes-per-second': {
    value: 'N',
    variable: 'ROOM_FRIEND_RELAY_BYTES_PER_SECOND',
    help: ['at most, of all of them'],
    default: '1000000',
  },
  'lan-interfaces': {
    value: 'LIST',
    variable: 'ROOM_LAN_INTERFACES',
    help: ['addresses or names; 127.0.0.1 stays here'],
    default: 'all',
  },
  stun: {
    value: 'LIST',
    variable: 'ROOM_STUN',
    mayBeEmpty: true,
    help: ["host:port of STUN servers; '' for none"],
  },
  'data-dir': { value: 'DIR', variable: 'DATA_DIR', isPath: true, help: ['who this player is'] },
  'log-level': { value: 'LEVEL', variable: 'LOG_LEVEL', help: ['debug, info, warn, error'] },
} as const satisfies RoomOptions

export const NAME = { value: 'NAME', help: ['how others see you; asked once, and kept'] } as const

export const PORT = { value: 'N', variable: 'ROOM_PORT' } as const

export const PRIVATE = { variable: 'ROOM_PRIVATE', means: 'true' } as const

export const GAME = {
  'game-version': { value: 'VERSION', help: ["your game's, to compare by an invitation"] },
  mods: { value: 'LIST', help: ['names of your mods, with commas between'] },
  'mods-folder': { value: 'DIR', help: ['or the folder with them'] },
} as const

export const RESUME = { help: ['typed again within an hour of a crash: the same room'] } as const

export const APPROVAL = {
  variable: 'ROOM_APPROVAL',
  means: 'true',
  help: ['players wait until you let them in'],
} as const

export const ALLOWED = {
  value: 'LIST',
  variable: 'ROOM_ALLOWED_PLAYERS',
  help: ['names that are let in unasked; without', '--approval nobody else is'],
} as const

export const SCAFFOLDING_PORT = { value: 'N', variable: 'SCAFFOLDING_PORT', default: '13448' } as const

export const HEARTBEAT = { value: 'N', variable: 'ROOM_HEARTBEAT_MS', default: '5000' } as const

/** For the commands that run the service. */
export const SERVICE_PORT = {
  ...PORT,
  help: ['where to listen; taken: the next; 0: any'],
  default: '5062',
} as const

export const SERVICE_PRIVATE = {
  ...PRIVATE,
  help: ['new rooms are private unless the order says no'],
} as const

/** Further settings for launchers. */
export const SERVICE_EXTRAS = {
  'invitation-page': {
    value: 'URL',
    variable: 'ROOM_INVITATION_PAGE',
    help: ['an https page to which links of invitation lead'],
  },
  'log-file-bytes': {
    value: 'N',
    variable: 'ROOM_LOG_FILE_BYTES',
    help: ['size of a file of the log on disk; 0: none'],
    default: '1000000',
  },
  'log-files': {
    value: 'N',
    variable: 'ROOM_LOG_FILES',
    help: ['how many such files are kept'],
    default: '3',
  },
} as const satisfies RoomOptions
