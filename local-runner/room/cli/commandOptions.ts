import { COMMON_OPTIONS, type OptionSpec } from '../../commandLine/optionTable'

/** An option of a command; one with a `variable` stands for a setting of the environment. */
export type RoomOption = OptionSpec & {
  readonly variable?: string
  /** What a switch sets the variable to. */
  readonly means?: string
  /** A file or folder. */
  readonly isPath?: boolean
}

type RoomOptions = Readonly<Record<string, RoomOption>>

/** Of every command that takes part in a room's network. */
const NETWORK_OPTIONS = {
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
    help: ['ask the router to open ports while you play'],
    default: 'on',
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

const NAME = { value: 'NAME', help: ['how others see you'] } as const
const PORT = { value: 'N', variable: 'ROOM_PORT' } as const
const PRIVATE = { variable: 'ROOM_PRIVATE', means: 'true' } as const
const GAME = {
  'game-version': { value: 'VERSION', help: ["your game's, to compare by an invitation"] },
  mods: { value: 'LIST', help: ['names of your mods, with commas between'] },
} as const
const RESUME = { help: ['typed again within an hour of a crash: the same room'] } as const
const APPROVAL = {
  variable: 'ROOM_APPROVAL',
  means: 'true',
  help: ['players wait until you let them in'],
} as const
const ALLOWED = {
  value: 'LIST',
  variable: 'ROOM_ALLOWED_PLAYERS',
  help: ['names that are let in unasked; without', '--approval nobody else is'],
} as const
const SCAFFOLDING_PORT = { value: 'N', variable: 'SCAFFOLDING_PORT', default: '13448' } as const
const HEARTBEAT = { value: 'N', variable: 'ROOM_HEARTBEAT_MS', default: '5000' } as const

/** Of the commands that are the service. */
const SERVICE_PORT = {
  ...PORT,
  help: ['where to listen on 127.0.0.1; taken: the next free', 'one; 0: any'],
  default: '5062',
} as const
const SERVICE_PRIVATE = {
  ...PRIVATE,
  help: ['new rooms are private unless the request says', 'otherwise'],
} as const

/** What each command has besides those. */
const OWN_OPTIONS = {
  serve: {
    port: SERVICE_PORT,
    'port-file': { value: 'FILE', help: ['write {"event":"listening",…} there, too'] },
    hmcl: { value: 'FILE', help: ['port file for HMCL; a second start repeats the first'] },
    replace: { help: ['end the service that runs, and take over its port'] },
    'parent-pid': { value: 'PID', help: ['stop when this process ends'] },
    'exit-with-stdin': { help: ['stop when standard input is closed'] },
    'allowed-origins': {
      value: 'LIST',
      variable: 'ROOM_ALLOWED_ORIGINS',
      help: ['web pages that may call it'],
    },
    approval: APPROVAL,
    'allowed-players': ALLOWED,
    private: SERVICE_PRIVATE,
    'scaffolding-port': { ...SCAFFOLDING_PORT, help: ["the host's room protocol"] },
    'heartbeat-ms': { ...HEARTBEAT, help: ['how often a guest reports to the host'] },
  },
  host: {
    name: { ...NAME, default: 'Host' },
    'game-port': { value: 'PORT', help: ["the world's port"], default: 'the world that is open to LAN' },
    room: { value: 'CODE', help: ['open the room with this code again'], default: 'a new one' },
    resume: RESUME,
    ...GAME,
    private: {
      ...PRIVATE,
      help: [
        'a code that only this software can join with, and',
        'from which no shared node can find the key',
      ],
    },
    share: {
      value: 'LIST',
      help: ['more ports for your guests, with commas between:', 'voice=24454/udp,map=8123/tcp'],
    },
    approval: APPROVAL,
    'allowed-players': ALLOWED,
    'no-wait': { help: ['open the room before there is a world'] },
    json: { help: ['the messages of the feed as lines of JSON'] },
    'scaffolding-port': { ...SCAFFOLDING_PORT, help: ['the room protocol'] },
  },
  join: {
    name: { ...NAME, default: 'Guest' },
    wait: { help: ['wait until your friend opens the room'] },
    resume: RESUME,
    ...GAME,
    json: { help: ['the messages of the feed as lines of JSON'] },
    'heartbeat-ms': { ...HEARTBEAT, help: ['how often you report to the host'] },
  },
  open: {
    'no-browser': { help: ['only print the address'] },
    port: SERVICE_PORT,
    approval: APPROVAL,
    'allowed-players': ALLOWED,
    private: SERVICE_PRIVATE,
    'scaffolding-port': { ...SCAFFOLDING_PORT, help: ["the host's room protocol"] },
    'heartbeat-ms': { ...HEARTBEAT, help: ['how often a guest reports to the host'] },
  },
  relay: {
    tcp: {
      value: 'PORT',
      variable: 'ROOM_RELAY_TCP_PORT',
      help: ['0: none, any: a free one'],
      default: '11010',
    },
    udp: { value: 'PORT', variable: 'ROOM_RELAY_UDP_PORT', help: [''], default: '11010' },
    ws: { value: 'PORT', variable: 'ROOM_RELAY_WS_PORT', help: [''], default: '11011' },
    host: { value: 'ADDRESS', variable: 'ROOM_RELAY_HOST', help: ['where to listen'], default: 'everywhere' },
    name: {
      value: 'NAME',
      variable: 'ROOM_RELAY_NAME',
      help: ['shown as PublicServer_NAME'],
      default: 'lantern',
    },
    'max-rooms': { value: 'N', variable: 'ROOM_RELAY_MAX_ROOMS', help: [''], default: '1000' },
    'max-members': { value: 'N', variable: 'ROOM_RELAY_MAX_MEMBERS', help: ['of one room'], default: '64' },
    'links-per-address': {
      value: 'N',
      variable: 'ROOM_RELAY_LINKS_PER_ADDRESS',
      help: ['of one address'],
      default: '32',
    },
    'address-bytes-per-second': {
      value: 'N',
      variable: 'ROOM_RELAY_ADDRESS_BYTES_PER_SECOND',
      help: ['of one address'],
      default: '20000000',
    },
    'bytes-per-second': {
      value: 'N',
      variable: 'ROOM_RELAY_BYTES_PER_SECOND',
      help: ['of one room'],
      default: '10000000',
    },
    'total-bytes-per-second': {
      value: 'N',
      variable: 'ROOM_RELAY_TOTAL_BYTES_PER_SECOND',
      help: ['of all rooms'],
      default: 'no limit',
    },
    'monthly-bytes': {
      value: 'N',
      variable: 'ROOM_RELAY_MONTHLY_BYTES',
      help: ['of all rooms in a month'],
      default: 'no limit',
    },
    'data-dir': { value: 'DIR', variable: 'DATA_DIR', isPath: true, help: ['where those are counted'] },
    'tls-cert': {
      value: 'FILE',
      variable: 'ROOM_RELAY_TLS_CERT',
      isPath: true,
      help: ['with its key: wss instead of ws'],
    },
    'tls-key': { value: 'FILE', variable: 'ROOM_RELAY_TLS_KEY', isPath: true, help: ["the certificate's"] },
    'other-networks': {
      variable: 'ROOM_RELAY_OTHER_NETWORKS',
      means: 'true',
      help: ['networks that are no rooms may use it, too'],
    },
    'metrics-port': {
      value: 'PORT',
      variable: 'ROOM_RELAY_METRICS_PORT',
      help: ['/metrics and /health on 127.0.0.1'],
      default: 'none',
    },
    'log-level': {
      value: 'LEVEL',
      variable: 'LOG_LEVEL',
      help: ['debug, info, warn, error'],
      default: 'info',
    },
  },
  doctor: {
    json: { help: ['one JSON object'] },
    port: { ...PORT, help: ['the port of the service'], default: '5062' },
    'scaffolding-port': { ...SCAFFOLDING_PORT, help: ['the room protocol'] },
    private: { ...PRIVATE, help: ['leave out what concerns open rooms'] },
  },
  report: {
    output: {
      value: 'FILE',
      help: ['where to write it; - prints it'],
      default: 'room-report.json',
    },
    port: { ...PORT, help: ['the port of the service'], default: '5062' },
    'scaffolding-port': { ...SCAFFOLDING_PORT, help: ['the room protocol'] },
  },
} as const satisfies Readonly<Record<string, RoomOptions>>

export type CommandName = keyof typeof OWN_OPTIONS

export const COMMAND_NAMES: readonly CommandName[] = [
  'open',
  'host',
  'join',
  'doctor',
  'report',
  'serve',
  'relay',
]

export function isCommandName(word: string): word is CommandName {
  return Object.hasOwn(OWN_OPTIONS, word)
}

/** The options of a command in the groups and the order of its help; those of every command are left out. */
export function commandOptions(command: CommandName): readonly RoomOptions[] {
  const own = OWN_OPTIONS[command]
  return command === 'relay' ? [own] : [own, NETWORK_OPTIONS]
}

/** All options of a command by their long names. */
export function allOptions(command: CommandName): RoomOptions {
  return Object.assign({}, ...commandOptions(command), COMMON_OPTIONS)
}
