import { useEffect, useState } from 'preact/hooks'
import { language } from '../../shared/language'
import { shownCode } from '../parts/HideCodes'
import { Refused } from '../parts/Notice'
import {
  forgetSaved,
  forgotten,
  openNow,
  openSaved,
  refreshSaved,
  type SavedRoom,
  savedRooms,
  watchSaved,
} from '../service/savedRooms'
import { refusal, worlds } from '../service/store'
import { say } from '../words/texts'
import { playerName } from './NameField'
import { portOf, WorldList } from './WorldList'

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
  const open = (gamePort?: number) =>
    void openSaved(room, { playerName: playerName.value || undefined, gamePort })
  const press = () => {
    const ports = isHost ? portsFor(room) : []
    if (ports.length > 1) setChoosing(true)
    else open(ports[0])
  }
  const button = (word: string, act: () => void, isOff = false) => (
    <button type="button" disabled={isOff} aria-label={`${word}: ${name}`} onClick={act}>
      {word}
    </button>
  )
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
      {button(openWord, press, isForgotten)}
      {button(say(isForgotten ? 'savedUndo' : 'savedForget'), () => void forgetSaved(room, !isForgotten))}
      {isChoosing && !isForgotten && (
        <div class="whole stack">
          <p class="problem" role="alert">
            {say('worldsChoose')}
          </p>
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
