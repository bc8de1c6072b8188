import { isEnded, type RoomStatus } from './records'

/** What is going on, as one colour. */
export type Mood = 'idle' | 'busy' | 'good' | 'warn' | 'bad'

/** Nothing is broken: the friend is later than the player. */
const EARLY: ReadonlySet<string | null> = new Set(['host-not-found', 'game-not-started'])
/** Told, while everything works. */
const HARMLESS: ReadonlySet<string | null> = new Set(['local-port-taken'])

/** The colour of all that is said of the room: never green while something is said that is not. */
export function moodOf(status: RoomStatus): Mood {
  const { state, errorCode } = status
  if (isEnded(status)) return 'idle'
  if (state === 'Error') return EARLY.has(errorCode) ? 'warn' : 'bad'
  if (state.endsWith('_Running')) return isUntroubled(status) ? 'good' : 'warn'
  return state === 'Idle' || state === 'Stopping' ? 'idle' : 'busy'
}

function isUntroubled(status: RoomStatus): boolean {
  const { state, gamePort, hint, hintCode } = status
  if (state === 'Host_Running' && (gamePort === 0 || isOnLanOnly(status))) return false
  return hint === null || HARMLESS.has(hintCode)
}

/** An open room that no shared node carries is open to the local network only. */
export function isOnLanOnly({ state, network }: Pick<RoomStatus, 'state' | 'network'>): boolean {
  const nodes = network?.nodes ?? []
  return state === 'Host_Running' && nodes.length > 0 && nodes.every((node) => node.state === 'failed')
}

const LOOKING: ReadonlySet<string> = new Set([
  'Guest_Prepare',
  'Guest_NetworkStarting',
  'Guest_DiscoveringCenter',
])

/** Whether a guest looks for its host, and was not told to wait for it. */
export function isLooking({ state, hint }: Pick<RoomStatus, 'state' | 'hint'>): boolean {
  return LOOKING.has(state) && hint === null
}
