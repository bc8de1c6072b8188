import { effect } from '@preact/signals'
import { startPage } from '../shared/language'
import { draw } from '../shared/Page'
import { isTokenNeeded } from '../shared/token'
import { App } from './App'
import { keepFocus } from './parts/keepFocus'
import { callHost, title } from './service/calls'
import { follow } from './service/feed'
import { isAway, refresh } from './service/store'

/** For the page to be drawn whole at once; a slower service is shown as one that is being asked. */
const LONGEST_FRAME_MS = 500

let isFollowing = false
let begun: Promise<void> = Promise.resolve()

startPage(title)
callHost()
keepFocus()
// Again after each token that is entered.
effect(() => {
  if (isTokenNeeded.value || isFollowing) return
  begun = begin()
})
const late = new Promise((resolve) => setTimeout(resolve, LONGEST_FRAME_MS))
void Promise.race([begun, late]).then(() => draw(<App />))

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
