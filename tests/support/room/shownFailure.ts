import { type FailureCode, RoomFailure, type RoomView } from '@lantern-room/room'

type ShownFailure = NonNullable<RoomView['failure']>

/** What a room's state shows of a failure; its number, which the page does not read, is always 0. */
export function shownFailure(code: FailureCode, detail: string, stage: ShownFailure['stage']): ShownFailure {
  return { code, type: 0, detail, hint: hintOf(code), stage }
}

/** What a player is told to do about it. */
export function hintOf(code: FailureCode): string {
  return new RoomFailure(code, '').hint
}
