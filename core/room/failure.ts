import { ProtocolFailure } from '@lantern-room/protocol/client'
import english from './words/english.json'

/** Why a role could not start or had to end. */

/** The coarse number of the state record, as launchers know it from other services. */
export type ExceptionType = 0 | 1 | 2 | 3 | 4 | 5

/** 0 host not found or unreachable, 1 connection lost, 2 network failed (guest), 3 network failed (host), 4 game server gone, 5 invalid response of the host. */
const TYPES = {
  'host-not-found': 0,
  'host-unreachable': 0,
  'wrong-room': 0,
  'room-full': 0,
  refused: 0,
  'own-room': 0,
  'several-hosts': 0,
  'connection-lost': 1,
  'room-closed': 1,
  removed: 1,
  'no-relay-reachable': 2,
  'no-internet': 2,
  'wifi-login': 2,
  'network-failed': 2,
  'port-in-use': 3,
  'game-gone': 4,
  'game-not-started': 4,
  'fingerprint-mismatch': 5,
  'not-encrypted': 5,
  'host-changed': 5,
  'invalid-response': 5,
  internal: 2,
} as const satisfies Readonly<Record<string, ExceptionType>>

/** Stable and specific: launchers may decide by it. */
export type FailureCode = keyof typeof TYPES

/** One sentence for a player: what to do. */
export const HINTS: Readonly<Record<FailureCode, string>> = english.failures

/** Causes that are known more exactly than the code of a failure says, each with its own advice. Stable codes, for programs. */
export type HintCode = keyof typeof english.hints
export const HINT_CODES = Object.keys(english.hints) as [HintCode, ...HintCode[]]

export const FAILURE_CODES = Object.keys(TYPES) as [FailureCode, ...FailureCode[]]

/**
 * A role that fails after its request was answered, so it has no HTTP status. `detail` is one sentence for players; messages of
 * programs and libraries are the cause.
 */
export class RoomFailure extends Error {
  readonly code: FailureCode
  readonly detail: string
  readonly hintCode: HintCode | undefined
  /** Advice for the player: that of the hint's code, or else of the failure's. */
  readonly hint: string

  constructor(
    code: FailureCode,
    detail: string,
    options: { readonly cause?: unknown; readonly hintCode?: HintCode | undefined } = {},
  ) {
    super(detail, { cause: options.cause })
    this.name = 'RoomFailure'
    this.code = code
    this.detail = detail
    this.hintCode = options.hintCode
    this.hint = options.hintCode ? english.hints[options.hintCode] : HINTS[code]
  }
}

/** The host is there, and what it sends cannot be opened. */
export function otherEncryption(cause?: unknown): RoomFailure {
  const detail = 'The program of your friend encrypts in another way, or not at all.'
  return new RoomFailure('host-unreachable', detail, { cause, hintCode: 'other-encryption' })
}

/** The detail of `host-changed`. */
export const HOST_CHANGED =
  'Another host answers with this room code than before, or than the invitation says.'

/** A failure of the room protocol as that of a role; any other error as it is. */
export function asRoomFailure(error: unknown): unknown {
  if (!(error instanceof ProtocolFailure)) return error
  return new RoomFailure(error.code, error.detail, { cause: error.cause })
}

/** Clients are shown a fixed text for an unexpected error; the error itself is the cause, for the log. */
export function toRoomFailure(error: unknown): RoomFailure {
  if (error instanceof RoomFailure) return error
  return new RoomFailure('internal', 'Something went wrong here.', { cause: error })
}

/** The coarse number; for a failed network it depends on the role. */
export function exceptionTypeOf(code: FailureCode, role: 'host' | 'guest'): ExceptionType {
  const type = TYPES[code]
  const isOfNetwork = type === 2 || type === 3
  return isOfNetwork ? (role === 'host' ? 3 : 2) : type
}
