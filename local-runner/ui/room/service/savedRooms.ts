import { signal } from '@preact/signals'
import type { SavedRoom as KnownRoom } from '#core/room/service/kept/savedRooms'
import { askJson, postJson } from '../../shared/ask'
import { act, choices } from './store'

/** One of GET /room/saved; `lastOpen` is ISO 8601. */
export type SavedRoom = Pick<KnownRoom, 'id' | 'role' | 'roomCode' | 'name'> & { readonly lastOpen: string }

/** The rooms to go back to, the newest first; and how many are damaged. */
export const savedRooms = signal<{ readonly rooms: readonly SavedRoom[]; readonly damaged: number }>({
  rooms: [],
  damaged: 0,
})
/** The ids of those that were forgotten, which can be undone while the list is on the page. */
export const forgotten = signal<readonly string[]>([])
/** The ids of those whose hosts were found at the last look. */
export const openNow = signal<readonly string[]>([])
const LOOK_AGAIN_MS = 20_000

export async function refreshSaved(): Promise<void> {
  savedRooms.value = await askJson('/room/saved')
  forgotten.value = []
}

/** Looks again and again which rooms of friends are open, while the page is seen. @returns what ends that */
export function watchSaved(rooms: readonly SavedRoom[]): () => void {
  const leaving = new AbortController()
  const { signal } = leaving
  let timer: ReturnType<typeof setTimeout> | undefined
  const look = async () => {
    for (const room of rooms.filter(({ role }) => role === 'guest')) {
      const isOpen = !document.hidden && (await isOpenNow(room, signal))
      if (signal.aborted) return
      openNow.value = [...openNow.value.filter((id) => id !== room.id), ...(isOpen ? [room.id] : [])]
    }
    timer = setTimeout(look, LOOK_AGAIN_MS)
  }
  void look()
  return () => {
    leaving.abort()
    clearTimeout(timer)
    openNow.value = []
  }
}

/** The service looks at one room at a time. */
async function isOpenNow(room: SavedRoom, signal: AbortSignal): Promise<boolean> {
  const response = send(room, 'check', { direct: choices.value.direct }, { signal })
  return response.then(async (found) => (await found.json()).open).catch(() => false)
}

const send = ({ id }: SavedRoom, what: string, body: object = {}, init: RequestInit = {}) =>
  postJson(`/room/saved/${id}/${what}`, body, init)

/** @param order `playerName`, and the world's `gamePort` of a host */
export const openSaved = (room: SavedRoom, order: object) =>
  act('saved', () => send(room, 'open', { ...choices.value, ...order }).finally(refreshSaved))

/** Forgets it, or undoes that. */
export const forgetSaved = (room: SavedRoom, isForgotten: boolean) =>
  act('saved', async () => {
    await send(room, isForgotten ? 'forget' : 'restore').catch(async (error: unknown) => {
      await refreshSaved()
      throw error
    })
    forgotten.value = [...forgotten.value.filter((id) => id !== room.id), ...(isForgotten ? [room.id] : [])]
  })
