import type { SavedRoom as KnownRoom } from '@lantern-room/room/client'
import { signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { askJson, postJson } from '../../shared/ask'
import { Button } from '../../shared/Button'
import { language } from '../../shared/language'
import { shownCode } from '../parts/HideCodes'
import { Problem, Refused } from '../parts/Notice'
import { act, choices, refusal, worlds } from '../service/store'
import { say } from '../words/texts'
import { playerName } from './NameField'
import { portOf, WorldList } from './WorldList'

/** One of GET /room/saved; `lastOpen` is ISO 8601. */
type SavedRoom = Pick<KnownRoom, 'id' | 'role' | 'roomCode' | 'name'> & { readonly lastOpen: string }

/** The rooms to go back to, the newest first; and how many are damaged. */
const savedRooms = signal<{ readonly rooms: readonly SavedRoom[]; readonly damaged: number }>({
  rooms: [],
  damaged: 0,
})
/** The ids of those that were forgotten, which can be undone while the list is on the page. */
const forgotten = signal<readonly string[]>([])
/** The ids of those whose hosts were found at the last look. */
const openNow = signal<readonly string[]>([])
const LOOK_AGAIN_MS = 20_000

async function refreshSaved(): Promise<void> {
  savedRooms.value = await askJson('/room/saved')
  forgotten.value = []
}

/** Looks again and again which rooms of friends are open, while the page is seen. @returns what ends that */
function watchSaved(rooms: readonly SavedRoom[]): () => void {
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
const openSaved = (room: SavedRoom, order: object) =>
  act('saved', () => send(room, 'open', { ...choices.value, ...order }).finally(refreshSaved))

/** Forgets it, or undoes that. */
const forgetSaved = (room: SavedRoom, isForgotten: boolean) =>
  act('saved', async () => {
    await send(room, isForgotten ? 'forget' : 'restore').catch(async (error: unknown) => {
      await refreshSaved()
      throw error
    })
    forgotten.value = [...forgotten.value.filter((id) => id !== room.id), ...(isForgotten ? [room.id] : [])]
  })

/** The rooms of earlier days, to open or join again. */
export function SavedRooms() {
  const { rooms, damaged } = savedRooms.value
  useEffect(() => void refreshSaved().catch(() => {}), [])
  useEffect(() => watchSaved(rooms), [rooms])
  if (rooms.length + damaged === 0 && refusal.value?.at !== 'saved') return null
  return (
    <section class="card">
      <h2>{say('saved')}</h2>
      <Refused at="saved" />
      <ul class="players saved">
        {rooms.map((room) => (
          <SavedRow key={room.id} room={room} />
        ))}
      </ul>
      {damaged > 0 && <p class="problem">{say('savedDamaged')}</p>}
    </section>
  )
}

function SavedRow({ room }: { readonly room: SavedRoom }) {
  const [isChoosing, setChoosing] = useState(false)
  const isHost = room.role === 'host'
  const isForgotten = forgotten.value.includes(room.id)
  const isOpen = openNow.value.includes(room.id)
  const name = room.name ?? networkOf(room)
  const time = new Date(room.lastOpen).toLocaleString(language.value, {
    dateStyle: 'medium',
    timeStyle: 'short',
  })
  const openWord = say(isHost ? 'savedOpen' : 'joinAgain')
  const forgetWord = say(isForgotten ? 'savedUndo' : 'savedForget')
  const open = (gamePort?: number) => openSaved(room, { playerName: playerName.value || undefined, gamePort })
  const press = () => {
    const ports = isHost ? portsFor(room) : []
    if (ports.length > 1) setChoosing(true)
    else open(ports[0])
  }
  return (
    <li>
      <span class="who">
        <strong>
          <bdi>{name}</bdi>{' '}
          <span class={`badge ${isForgotten ? '' : isOpen ? 'LOCAL' : 'unseen'}`} aria-live="polite">
            {say(isForgotten ? 'savedForgotten' : 'savedOpenNow')}
          </span>
        </strong>
        <small>
          {say(isHost ? 'savedHost' : 'savedGuest')} · {time} ·{' '}
          <span translate={false}>{networkOf(room)}</span>
        </small>
      </span>
      <Button label={openWord} name={`${openWord}: ${name}`} disabled={isForgotten} act={press} />
      <Button
        label={forgetWord}
        name={`${forgetWord}: ${name}`}
        act={() => forgetSaved(room, !isForgotten)}
      />
      {isChoosing && !isForgotten && (
        <div class="whole stack">
          <Problem text={say('worldsChoose')} />
          <WorldList chosen={undefined} onChoose={open} />
        </div>
      )}
    </li>
  )
}

/** The worlds of this computer that may be the room's: those of its name, else all. */
function portsFor({ name }: SavedRoom): readonly number[] {
  const own = worlds.value.filter(({ local, isVerified, announced }) => local && isVerified && announced)
  const same = own.filter(({ motd }) => motd === name)
  return (same.length > 0 ? same : own).map(portOf)
}

/** The half of the code that is no secret: a stream may show the page. */
function networkOf({ roomCode }: SavedRoom): string {
  return `${shownCode(roomCode).slice(0, 11)}-…`
}
