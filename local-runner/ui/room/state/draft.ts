import { effect, type Signal, signal } from '@preact/signals'

/** What is typed or ticked before a room is there. It is kept with the tab: a reload, or a look at the other form, loses nothing. */
export function keptInTab(name: string): Signal<string> {
  const kept = signal(sessionStorage.getItem(name) ?? '')
  effect(() => {
    if (kept.value === '') sessionStorage.removeItem(name)
    else sessionStorage.setItem(name, kept.value)
  })
  return kept
}

/** For a box to tick. */
export function tickKeptInTab(name: string) {
  const kept = keptInTab(name)
  return {
    isOn: () => kept.value === 'yes',
    set(isOn: boolean) {
      kept.value = isOn ? 'yes' : ''
    },
  }
}
