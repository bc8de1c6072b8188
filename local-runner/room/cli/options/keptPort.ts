import { isAllowable } from '@lantern-room/room'

/** A port that is typed as one that the host may have on this machine. @returns undefined for any other text */
export function readKeptPort(text: string): number | undefined {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : undefined
  return port !== undefined && isAllowable(port) ? port : undefined
}
