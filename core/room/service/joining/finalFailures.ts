import { type FailureCode, HOST_CHANGED, RoomFailure } from '../../failure'

export function noWorld(): RoomFailure {
  return new RoomFailure('game-not-started', 'The host has not opened a world.')
}

const FINAL_CODES: readonly FailureCode[] = [
  'fingerprint-mismatch',
  'invalid-response',
  'own-room',
  'room-full',
  'refused',
  'removed',
]

/** Whether trying again cannot help. What another member answers in the host's place is no reason to leave: the host may come back. */
export function isFinal(error: unknown): boolean {
  return error instanceof RoomFailure && FINAL_CODES.includes(error.code)
}

/** A member that hosts no such room, or does not speak as its host does. What a host refuses is not among them. */
const NO_HOST_CODES: readonly FailureCode[] = [
  'host-unreachable',
  'connection-lost',
  'not-encrypted',
  'fingerprint-mismatch',
  'invalid-response',
]

/** Whether the member that was asked has not answered as a host. */
export function isNoHost(error: unknown): boolean {
  return error instanceof RoomFailure && NO_HOST_CODES.includes(error.code)
}

/** Whether another host has answered than the one that is known. */
export function isOtherHost(error: unknown): boolean {
  return error instanceof RoomFailure && error.code === 'host-changed'
}

/** @param isOther whether another host answers in its place */
export function notReturned(isOther: boolean): RoomFailure {
  if (isOther) return new RoomFailure('host-changed', HOST_CHANGED)
  return new RoomFailure('connection-lost', 'The connection to the host is lost, and it did not return.')
}
