import { type FailureCode, RoomFailure } from '../failure'

export function noWorld(): RoomFailure {
  return new RoomFailure('game-not-started', 'The host has not opened a world.')
}

const FINAL_CODES: readonly FailureCode[] = [
  'fingerprint-mismatch',
  'host-changed',
  'invalid-response',
  'not-encrypted',
  'own-room',
  'room-full',
  'refused',
  'removed',
]

/** Whether trying again cannot help. */
export function isFinal(error: unknown): boolean {
  return error instanceof RoomFailure && FINAL_CODES.includes(error.code)
}

export function notReturned(): RoomFailure {
  return new RoomFailure('connection-lost', 'The connection to the host is lost, and it did not return.')
}
