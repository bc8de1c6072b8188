import type { SavedRoom as KnownRoom } from '@lantern-room/room/client'
import { effect, signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { askJson, postJson } from '../../shared/ask'
import { Button } from '../../shared/Button'
import { language } from '../../shared/language'
import { shownCode } from '../parts/HideCodes'
import { Notice, Problem, Refused } from '../parts/Notice'
import { Gate, WorldBlock } from '../parts/Pixels'
import { act, answerKept, choices, kept, refusal, status, worlds } from '../service/store'
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

const REMOVED_KEY = 'removedFrom'
/** The networks of rooms that have removed this player, until one lets the player in again. */
const removedFrom = signal<readonly string[]>(
  (localStorage.getItem(REMOVED_KEY) ?? '').split(' ').filter(Boolean),
)
effect(() => {
  const { state = '', role = null, errorCode = null, roomCode = null } = status.value ?? {}
  if (role !== 'guest' || roomCode === null) return
  const others = removedFrom.peek().filter((network) => network !== networkHalf(roomCode))
  if (errorCode === 'removed') removedFrom.value = [...others, networkHalf(roomCode)]
  else if (state === 'Guest_Running') removedFrom.value = others
  localStorage.setItem(REMOVED_KEY, removedFrom.peek().join(' '))
})

/** Of a code, without what is secret. */
function networkHalf(roomCode: string): string {
  return roomCode.slice(0, 11)
}

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

/** The rooms of earlier days, to open or join again: a line for each, the first one for a room that was open when the program ended. */
export function SavedRooms() {
  const { rooms: all, damaged } = savedRooms.value
  const { role: keptRole, roomCode: keptCode } = kept.value
  const isOffered = ({ role, roomCode }: SavedRoom) =>
    !(role === keptRole && roomCode === keptCode) &&
    !(role === 'guest' && removedFrom.value.includes(networkHalf(roomCode)))
  const rooms = all.filter(isOffered)
  useEffect(() => void refreshSaved().catch(() => {}), [])
  useEffect(() => watchSaved(rooms), [all, keptCode])
  if (rooms.length + damaged === 0 && keptRole === null && refusal.value?.at !== 'saved') return null
  return (
    <section class="earlier">
      {keptRole !== null && <Kept role={keptRole} />}
      {rooms.length > 0 && <h2>{say('saved')}</h2>}
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

/** The program has ended while a room was open: it can go on under the same code. */
function Kept({ role }: { readonly role: 'host' | 'guest' }) {
  const goBack = [say(role === 'host' ? 'keptOpen' : 'keptJoin'), () => void answerKept(true)] as const
  const forget = [say('keptForget'), () => void answerKept(false)] as const
  return (
    <>
      <Notice text={say(role === 'host' ? 'keptHost' : 'keptGuest')} actions={[goBack, forget]} />
      <Refused at="failure" />
    </>
  )
}

function SavedRow({ room }: { readonly room: SavedRoom }) {
  const [isChoosing, setChoosing] = useState(false)
  const isHost = room.role === 'host'
  const isForgotten = forgotten.value.includes(room.id)
  const isOpen = openNow.value.includes(room.id)
  const name = room.name ?? networkOf(room)
  const time = timeOf(new Date(room.lastOpen))
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
      {isHost ? <WorldBlock /> : <Gate />}
      <span class="who">
        <strong>
          <bdi>{name}</bdi>
        </strong>
        <small title={networkOf(room)}>
          {time} · {say(isHost ? 'savedHost' : 'savedGuest')}
        </small>
      </span>
      <span class={`badge ${isForgotten ? '' : isOpen ? 'LOCAL' : 'later'}`} aria-live="polite">
        {say(isForgotten ? 'savedForgotten' : 'savedOpenNow')}
      </span>
      <Button
        label={openWord}
        name={`${openWord}: ${name}`}
        size="small"
        disabled={isForgotten}
        act={press}
      />
      <Button
        label={isForgotten ? forgetWord : '×'}
        name={`${forgetWord}: ${name}`}
        title={forgetWord}
        size="small"
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

/** Of today the hour, else the day: both would not fit on a phone. */
function timeOf(time: Date): string {
  const isToday = time.toDateString() === new Date().toDateString()
  return time.toLocaleString(language.value, isToday ? HOUR : DAY)
}

const HOUR = { hour: 'numeric', minute: '2-digit' } as const
const DAY = { month: 'short', day: 'numeric' } as const

/** The worlds of this computer that may be the room's: those of its name, else all. */
function portsFor({ name }: SavedRoom): readonly number[] {
  const own = worlds.value.filter(({ local, isVerified, announced }) => local && isVerified && announced)
  const same = own.filter(({ motd }) => motd === name)
  return (same.length > 0 ? same : own).map(portOf)
}

/** The half of the code that is no secret: a stream may show the page. */
function networkOf({ roomCode }: SavedRoom): string {
  return `${networkHalf(shownCode(roomCode))}-…`
}
