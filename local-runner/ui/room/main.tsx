import { effect } from '@preact/signals'
import { render } from 'preact'
import { isTokenNeeded } from '../shared/token'
import { App } from './App'
import { follow } from './feed'
import { isAway, refresh } from './store'
import { say } from './texts'

const root = document.getElementById('app')
if (root) render(<App />, root)

effect(() => {
  document.title = say('title')
})

let isFollowing = false
// Again after each token that is entered.
effect(() => {
  if (isTokenNeeded.value || isFollowing) return
  void begin()
})

async function begin(): Promise<void> {
  try {
    await refresh()
  } catch {
    if (isTokenNeeded.peek()) return
    isAway.value = true
  }
  if (isFollowing) return
  isFollowing = true
  follow()
}
