import { signal } from '@preact/signals'
import type { SavedRoom as KnownRoom } from '#core/room/service/kept/savedRooms'
import { ask, askJson, postJson } from '../../shared/ask'
import { act } from './store'

/** One of GET /room/saved; `lastOpen` is ISO 8601. */
export type SavedRoom = Pick<KnownRoom, 'id' | 'role' | 'roomCode' | 'name'> & { readonly lastOpen: string }

/** The rooms to go back to, the newest first; and how many are damaged. */
export const savedRooms = signal<{ readonly rooms: readonly SavedRoom[]; readonly damaged: number }>({
  rooms: [],
  damaged: 0,
})

export async function refreshSaved(): Promise<void> {
  savedRooms.value = await askJson('/room/saved')
}

/** @param order `playerName`, and the world's `gamePort` of a host */
export const openSaved = ({ id }: SavedRoom, order: object) =>
  act('saved', () => postJson(`/room/saved/${id}/open`, order).finally(refreshSaved))

export const forgetSaved = ({ id }: SavedRoom) =>
  act('saved', () => ask(`/room/saved/${id}/forget`, { method: 'POST' }).finally(refreshSaved))
