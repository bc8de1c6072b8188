import { signal } from '@preact/signals'

const KEY = 'player'

/** The name that the player last used on this computer. */
export const playerName = signal(localStorage.getItem(KEY) ?? '')

export function setPlayerName(name: string): void {
  localStorage.setItem(KEY, name)
  playerName.value = name
}
