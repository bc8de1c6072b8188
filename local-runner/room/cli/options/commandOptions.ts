import { COMMON_OPTIONS } from '../../../commandLine/optionTable'
import { RELAY_OPTIONS } from './relayOptions'
import {
  ALLOWED,
  APPROVAL,
  GAME,
  HEARTBEAT,
  NAME,
  NETWORK_OPTIONS,
  PORT,
  PRIVATE,
  RESUME,
  type RoomOptions,
  SCAFFOLDING_PORT,
  SERVICE_EXTRAS,
  SERVICE_PORT,
  SERVICE_PRIVATE,
} from './roomOptions'

/** Options of each command in addition to those of the network. */
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
    ...SERVICE_EXTRAS,
  },
  host: {
    name: NAME,
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
    link: { help: ['show a link that invites, and its QR code, too'] },
    'no-wait': { help: ['open the room before there is a world'] },
    json: { help: ['the messages of the feed as lines of JSON'] },
    'scaffolding-port': { ...SCAFFOLDING_PORT, help: ['the room protocol'] },
  },
  join: {
    name: NAME,
    wait: { help: ['wait until your friend opens the room'] },
    resume: RESUME,
    'accept-new-host': { help: ['join a private room also if its host has a new key'] },
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
  relay: RELAY_OPTIONS,
  doctor: {
    all: { help: ['every finding, not only what to mend'] },
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
