import { ServiceError } from '@lantern-room/base'
import { parseJson } from '@lantern-room/base/bytes'
import { z } from 'zod'
import { cleanPlayer, DEFAULT_NAME, memberIdIn, type Player, type Profile } from '../../profiles'
import type { ResponseFrame } from './frames'

/** The commands of every room, in the order of the response to `c:protocols`. */
export const COMMANDS = [
  'c:ping',
  'c:protocols',
  'c:server_port',
  'c:player_ping',
  'c:player_profiles_list',
] as const

export type ProtocolCommandName = (typeof COMMANDS)[number]

/**
 * 32 to 63 are defined by each command: 32 of `c:server_port` means that no game runs, 33 that the host has not let the guest
 * in yet; 32 of `lantern:bye` that the room stays open, 33 that the host has removed the guest; 32 of `lantern:player` that another
 * member has the id.
 */
export const STATUS = {
  ok: 0,
  notStarted: 32,
  waiting: 33,
  stillOpen: 32,
  removed: 33,
  taken: 32,
  failed: 255,
} as const

/** The body of a guest's first `c:ping`: a room of this kind echoes it. */
export const FINGERPRINT: Uint8Array = Uint8Array.of(
  ...[0x41, 0x57, 0x48, 0x44, 0x86, 0x37, 0x40, 0x59, 0x57, 0x44, 0x92, 0x43, 0x96, 0x99, 0x85, 0x01],
)

/** Our guests recognise a full room by these texts, because the protocol has no status for it. */
export const ROOM_FULL = 'The room is full.'
export const MEMBER_FULL = 'This member has as many players as one may have.'
/** As are these: players that the host does not let in, or has removed. */
export const REFUSED = 'The host does not let this player in.'
export const REMOVED = 'The host has removed this player from the room.'

/** Players accepted in a list; other hosts may list more than our own limit. */
const MAX_LISTED = 256

export function ok(data: Uint8Array = EMPTY): ResponseFrame {
  return { status: STATUS.ok, data }
}

/** @param reason is sent to the other member: nothing of this machine may be in it */
export function failed(reason: string): ResponseFrame {
  return { status: STATUS.failed, data: encoder.encode(reason) }
}

export function encodeProtocols(names: readonly string[]): Uint8Array {
  return encoder.encode(names.join('\0'))
}

/** @throws ServiceError `invalid-request` when it is not UTF-8 */
export function decodeProtocols(data: Uint8Array): string[] {
  return decodeText(data)
    .split('\0')
    .filter((name) => name !== '')
}

/**
 * Two bytes, the higher one first.
 * @example encodePort(25565) // Uint8Array [99, 221]
 */
export function encodePort(port: number): Uint8Array {
  return Uint8Array.of(port >> 8, port & 0xff)
}

/** @throws ServiceError `invalid-request` when it is not a port */
export function decodePort(data: Uint8Array): number {
  const [high, low] = data
  const port = data.length === 2 && high !== undefined && low !== undefined ? high * 256 + low : 0
  if (port === 0) throw new ServiceError('invalid-request', 'A port is two bytes and not 0.')
  return port
}

export function encodePlayer({ name, machineId, vendor }: Player): Uint8Array {
  return encoder.encode(JSON.stringify({ name, machine_id: machineId, vendor }))
}

/**
 * The body of `c:player_ping`, with name and vendor cleaned; a name that is empty then becomes `Guest`, because guests of
 * other programs end their session at a refusal. Other fields, `kind` among them, are ignored.
 * @throws ServiceError `invalid-request` naming the field
 */
export function decodePlayer(body: Uint8Array): Player {
  const wire = decodeJson(body, pingWire)
  return readPlayer(wire, DEFAULT_NAME.guest)
}

export function encodeProfiles(profiles: readonly Profile[]): Uint8Array {
  const wire = profiles.map(({ name, machineId, vendor, kind }) => ({
    name,
    machine_id: machineId,
    vendor,
    kind,
  }))
  return encoder.encode(JSON.stringify(wire))
}

/**
 * The data of `c:player_profiles_list`, cleaned. Every kind other than HOST becomes GUEST.
 * @throws ServiceError `invalid-request` when it is malformed, has not exactly one host, or lists a machine twice
 */
export function decodeProfiles(data: Uint8Array): Profile[] {
  const profiles = decodeJson(data, profilesWire).map(
    (wire): Profile =>
      wire.kind === 'HOST'
        ? { ...readPlayer(wire, DEFAULT_NAME.host), kind: 'HOST' }
        : { ...readPlayer(wire, DEFAULT_NAME.guest), kind: 'GUEST' },
  )
  const hosts = profiles.filter(({ kind }) => kind === 'HOST').length
  if (hosts !== 1) throw new ServiceError('invalid-request', `The list has ${hosts} hosts.`)
  if (new Set(profiles.map(({ machineId }) => machineId)).size !== profiles.length) {
    throw new ServiceError('invalid-request', 'The list has one machine twice.')
  }
  return profiles
}

function readPlayer(wire: z.infer<typeof playerWire>, defaultName: string): Player {
  const player = cleanPlayer({ name: wire.name, machineId: wire.machine_id, vendor: wire.vendor })
  return { ...player, name: player.name || defaultName }
}

/** @throws ServiceError `invalid-request` when it is not UTF-8 */
function decodeText(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch (cause) {
    throw new ServiceError('invalid-request', 'The text is not UTF-8.', { cause })
  }
}

const EMPTY = new Uint8Array(0)
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true })

const text = z.string({ error: 'must be text' })

const playerWire = z.object(
  {
    name: text,
    /** We and most launchers send 32 hexadecimal digits; other ids are accepted as they are. */
    machine_id: text.regex(/^[\x21-\x7E]{1,128}$/, 'must be 1 to 128 visible ASCII characters'),
    vendor: text,
  },
  { error: 'must be an object' },
)

/**
 * Ids of members are told from ids of players by how they begin. URLs lose a step that is a dot or two, so that no client could
 * order anything about such a player.
 */
const pingWire = playerWire.refine(
  ({ machine_id: id }) => memberIdIn(id) === undefined && id !== '.' && id !== '..',
  { path: ['machine_id'], error: 'must not be the id of a member, nor one or two dots' },
)

const TOO_LONG = `must not have more than ${MAX_LISTED} players`

const profilesWire = z
  .array(playerWire.extend({ kind: text }), { error: 'must be a list' })
  .max(MAX_LISTED, TOO_LONG)

function decodeJson<T>(bytes: Uint8Array, schema: z.ZodType<T>): T {
  const value = parseJson(decodeText(bytes))
  if (value === undefined) throw new ServiceError('invalid-request', 'The text is not JSON.')
  const checked = schema.safeParse(value)
  if (checked.success) return checked.data
  const [issue] = checked.error.issues
  const field = issue?.path.join('.') || 'JSON'
  throw new ServiceError('invalid-request', `${field}: ${issue?.message ?? 'is invalid'}.`)
}

/** The connection that a request came by. */
export type RoomCaller = {
  /** The member that has opened it. */
  readonly memberId: string
  /** Aborts when the connection closes; nothing is sent then. */
  readonly signal: AbortSignal
}
