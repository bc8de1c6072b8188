import { computed, effect, signal } from '@preact/signals'
import { playerText, say } from '../words/texts'
import { comings, status } from './store'

// The host is in the game, and does not see the page: a request to join changes its title, sounds and notifies.

/** Whether the browser lets this page notify. */
export const permission = signal('Notification' in window ? Notification.permission : 'denied')

const waiting = computed(() => status.value?.guests.filter(({ state }) => state === 'waiting') ?? [])

export function title(): string {
  const [first] = waiting.value
  return first ? `(${waiting.value.length}) ${playerText('wantsIn', first.name)}` : say('title')
}

export async function allowNotifications(): Promise<void> {
  permission.value = await Notification.requestPermission()
}

export function callHost(): void {
  let isFirstTab = false
  // Of several tabs one calls; the next one takes over when that is closed.
  void navigator.locks.request('calls', () => {
    isFirstTab = true
    return new Promise(() => {})
  })
  let called: readonly string[] = []
  effect(() => {
    for (const { id, name } of waiting.value) {
      if (called.includes(id) || !isFirstTab) continue
      beep()
      notify(playerText('wantsIn', name), id)
    }
    called = waiting.value.map(({ id }) => id)
  })
  let last = comings.peek()[0]
  effect(() => {
    const [newest] = comings.value
    if (newest !== last && newest?.isIn && isFirstTab && status.peek()?.role === 'host')
      notify(playerText('cameIn', newest.name), newest.id)
    last = newest
  })
}

function notify(text: string, id: string): void {
  if (permission.value !== 'granted') return
  const notification = new Notification(say('title'), { body: text, tag: id })
  notification.onclick = () => window.focus()
}

let audio: AudioContext | undefined

/** Two short tones. Browsers keep a page silent until something on it was pressed. */
function beep(): void {
  audio ??= new AudioContext()
  void audio.resume()
  const volume = audio.createGain()
  volume.gain.value = 0.2
  volume.connect(audio.destination)
  for (const [at, hertz] of [660, 880].entries()) {
    const tone = audio.createOscillator()
    tone.frequency.value = hertz
    tone.connect(volume)
    tone.start(audio.currentTime + 0.2 * at)
    tone.stop(audio.currentTime + 0.2 * at + 0.15)
  }
}
