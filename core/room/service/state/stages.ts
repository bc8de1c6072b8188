/** The stages of a room, the launcher states they map to, and the allowed transitions. */

/** Each stage (`state` of `/room/status`) with its launcher state (`state` of `/state`). */
export const STATE_OF = {
  Idle: 'waiting',
  Stopping: 'waiting',
  Host_Prepare: 'host-scanning',
  Host_GameDetecting: 'host-scanning',
  Host_ScaffoldingStarting: 'host-starting',
  Host_NetworkStarting: 'host-starting',
  Host_Running: 'host-ok',
  Guest_Prepare: 'guest-connecting',
  Guest_NetworkStarting: 'guest-starting',
  Guest_DiscoveringCenter: 'guest-starting',
  Guest_ConnectingScaffolding: 'guest-starting',
  Guest_AwaitingApproval: 'guest-starting',
  Guest_Reconnecting: 'guest-starting',
  Guest_Running: 'guest-ok',
  Error: 'exception',
} as const

export type Stage = keyof typeof STATE_OF
export const STAGES = Object.keys(STATE_OF) as [Stage, ...Stage[]]
/** The states of the contract, as launchers know them. */
export type LauncherState = (typeof STATE_OF)[Stage]
export const LAUNCHER_STATES = [...new Set(Object.values(STATE_OF))] as [LauncherState, ...LauncherState[]]
export type Role = 'host' | 'guest'

/** The stages that a running role may enter from each stage. Stopping and failing are allowed from all of them. */
const NEXT: Partial<Record<Stage, readonly Stage[]>> = {
  Host_Prepare: ['Host_GameDetecting'],
  Host_GameDetecting: ['Host_ScaffoldingStarting'],
  Host_ScaffoldingStarting: ['Host_NetworkStarting'],
  Host_NetworkStarting: ['Host_Running'],
  Guest_Prepare: ['Guest_NetworkStarting'],
  Guest_NetworkStarting: ['Guest_DiscoveringCenter'],
  Guest_DiscoveringCenter: ['Guest_ConnectingScaffolding'],
  Guest_ConnectingScaffolding: ['Guest_AwaitingApproval', 'Guest_Running', 'Guest_Reconnecting'],
  Guest_AwaitingApproval: ['Guest_ConnectingScaffolding', 'Guest_Running'],
  Guest_Running: ['Guest_Reconnecting'],
  Guest_Reconnecting: ['Guest_Running'],
}

/** Whether a running role may enter `to` from `from`. Only a reconnecting guest, and one that was let in before there is a world, goes back. */
export function mayFollow(from: Stage, to: Stage): boolean {
  return NEXT[from]?.includes(to) ?? false
}
