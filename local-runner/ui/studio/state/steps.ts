import { effect } from '@preact/signals'
import { goOnWithAny } from './goOn'
import { kept } from './kept'
import { leave } from './list'
import { openListed } from './makeList'
import { examined, isLosing, list, opened, openOfList, work } from './store'

/** How many steps the person is behind the first view, and may go back. */
let depth = 0
/** The file of the list that was open last. */
let listedLast: File | undefined
/** Whether the view of a step is being opened, and is not there yet. */
let isOpening = false

/** Makes each view a step of the browser's history: *Back* leads from a file to its list, and from there to the first view. */
export function keepSteps(): void {
  // After a reload the first view is shown, whatever was.
  if (stepOf(history.state) > 0) history.replaceState({ step: 0 }, '')
  let isDue = false
  effect(() => {
    depthNow()
    if (isDue) return
    isDue = true
    // A file that takes another's place is no step.
    queueMicrotask(() => {
      isDue = false
      follow()
    })
  })
  window.addEventListener('popstate', ({ state }) => void goTo(stepOf(state)))
}

function stepOf(state: unknown): number {
  const { step } = (state ?? {}) as { readonly step?: unknown }
  return typeof step === 'number' ? step : 0
}

function depthNow(): number {
  const isOpen = opened.value !== undefined || examined.value !== undefined
  if (list.value.length === 0) return isOpen ? 1 : 0
  return isOpen && openOfList.value !== undefined ? 2 : 1
}

function follow(): void {
  if (isOpening) return
  const now = depthNow()
  if (now < depth) history.go(now - depth)
  for (let step = depth + 1; step <= now; step += 1) history.pushState({ step }, '')
  depth = now
}

async function goTo(step: number): Promise<void> {
  if (step > depth) return goForwardTo(step)
  if (step >= depth) return
  listedLast = openOfList.value ?? listedLast
  if (work.value !== undefined || (step === 0 && isLosing())) {
    // The view stays for now, and so does its step.
    for (let back = step + 1; back <= depth; back += 1) history.pushState({ step: back }, '')
    if (work.value === undefined) await leaveTo(step)
    return
  }
  const left = depth
  depth = step
  if (!(await leaveTo(step))) depth = left
}

/** Opens again what was left by *Back*. What cannot be opened is no step. */
async function goForwardTo(step: number): Promise<void> {
  depth = step
  isOpening = true
  if (depthNow() === 0 && kept.value) await goOnWithAny(kept.value)
  const listed = list.value.find(({ file }) => file === listedLast)
  if (depthNow() === 1 && step > 1 && listed) await openListed(listed)
  isOpening = false
  follow()
}

/** @returns whether it is left */
async function leaveTo(step: number): Promise<boolean> {
  while (depthNow() > step) {
    if (!(await leave())) return false
  }
  return true
}
