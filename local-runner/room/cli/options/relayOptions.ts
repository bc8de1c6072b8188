import type { RoomOptions } from './roomOptions'

/** Options of `room relay`. */
export const RELAY_OPTIONS = {
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
  'other-networks': {
    variable: 'ROOM_RELAY_OTHER_NETWORKS',
    means: 'true',
    help: ['networks that are no rooms may use it, too'],
  },
  'log-level': {
    value: 'LEVEL',
    variable: 'LOG_LEVEL',
    help: ['debug, info, warn, error'],
    default: 'info',
  },
} as const satisfies RoomOptions
