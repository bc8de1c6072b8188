/** Why a role could not start or had to end. */

/** Stable and specific: launchers may decide by it. */
export type FailureCode = keyof typeof FAILURES

/** The coarse number of the state record, as launchers know it from other services. */
export type ExceptionType = 0 | 1 | 2 | 3 | 4 | 5

type Kind = {
  /** 0 host not found or unreachable, 1 connection lost, 2 network failed (guest), 3 network failed (host), 4 game server gone, 5 invalid response of the host. */
  readonly type: ExceptionType
  /** One sentence for a player: what to do. */
  readonly hint: string
}

export const FAILURES = {
  'host-not-found': {
    type: 0,
    hint: 'Ask your friend whether the room is still open and compare the room code; then try again.',
  },
  'host-unreachable': {
    type: 0,
    hint: 'Your friend is in the network but does not answer: ask them to restart their room, then try again.',
  },
  'wrong-room': {
    type: 0,
    hint: 'The second half of the room code does not fit this room: ask your friend for the code again.',
  },
  'room-full': {
    type: 0,
    hint: 'The room has as many players as it can hold: wait until a player leaves, then try again.',
  },
  refused: {
    type: 0,
    hint: 'Ask your friend to let you in: they see who wants to join, and can allow you by your name.',
  },
  'own-room': {
    type: 0,
    hint: 'You need not join your own room: play in your world, and give the code to your friends.',
  },
  'several-hosts': {
    type: 0,
    hint: 'Two players host with this room code: one of them must stop and make a new room.',
  },
  'connection-lost': {
    type: 1,
    hint: 'Check your internet connection and ask whether the room is still open; then try again.',
  },
  'room-closed': {
    type: 1,
    hint: 'Ask your friend whether the room opens again; then join with the same or the new room code.',
  },
  removed: {
    type: 1,
    hint: 'The host has removed you: ask your friend whether that was meant.',
  },
  'no-relay-reachable': {
    type: 2,
    hint: 'No shared node can be reached: check the internet connection, firewall and ROOM_NODES; then try again.',
  },
  'no-internet': { type: 2, hint: 'Connect this computer to the internet, then try again.' },
  'wifi-login': {
    type: 2,
    hint: 'Log in to this wifi first: open any page in the browser, then try again.',
  },
  'network-failed': {
    type: 2,
    hint: 'Start the room again; if it fails again, send the log to the launcher.',
  },
  'port-in-use': {
    type: 3,
    hint: 'Close the program that uses the port, or choose another one, and try again.',
  },
  'game-gone': { type: 4, hint: 'Open your world to LAN again, then start the room again.' },
  'game-not-started': {
    type: 4,
    hint: 'Your friend has not opened the world to LAN: ask them to, then try again.',
  },
  'fingerprint-mismatch': {
    type: 5,
    hint: 'The host does not run a room of this kind: ask your friend to update and restart their launcher.',
  },
  'not-encrypted': {
    type: 5,
    hint: 'Your friend’s program does not speak as private rooms do: ask them to update it, then try again.',
  },
  'host-changed': {
    type: 5,
    hint: 'Your friend hosts from another machine, or someone else answers: ask your friend for an invitation link.',
  },
  'invalid-response': {
    type: 5,
    hint: 'The answer of the host cannot be understood: ask your friend to update their launcher.',
  },
  internal: { type: 2, hint: 'Try again; if it fails again, send the log to the launcher.' },
} as const satisfies Record<string, Kind>

export const FAILURE_CODES = Object.keys(FAILURES) as [FailureCode, ...FailureCode[]]

/**
 * `detail` is one sentence for players; messages of programs and libraries are the cause.
 * @see docs/decisions.md, D54
 */
export class RoomFailure extends Error {
  readonly code: FailureCode
  readonly detail: string
  /** Advice for the player: that of the code, unless more is known. */
  readonly hint: string

  constructor(
    code: FailureCode,
    detail: string,
    options: { readonly cause?: unknown; readonly hint?: string | undefined } = {},
  ) {
    super(detail, { cause: options.cause })
    this.name = 'RoomFailure'
    this.code = code
    this.detail = detail
    this.hint = options.hint ?? FAILURES[code].hint
  }
}

/** The detail of `host-changed`. */
export const HOST_CHANGED =
  'Another host answers with this room code than before, or than the invitation says.'

/** Clients are shown a fixed text for an unexpected error; the error itself is the cause, for the log. */
export function toRoomFailure(error: unknown): RoomFailure {
  if (error instanceof RoomFailure) return error
  return new RoomFailure('internal', 'Something went wrong here.', { cause: error })
}

/** The coarse number; for a failed network it depends on the role. */
export function exceptionTypeOf(code: FailureCode, role: 'host' | 'guest'): ExceptionType {
  const { type } = FAILURES[code]
  const isOfNetwork = type === 2 || type === 3
  return isOfNetwork ? (role === 'host' ? 3 : 2) : type
}
