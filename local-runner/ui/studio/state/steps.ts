import { effect } from '@preact/signals'
import { leave } from './list'
import { examined, isLosing, list, opened, openOfList, work } from './store'

/** How many steps the person is behind the first view, and may go back. */
let depth = 0

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
  const now = depthNow()
  if (now < depth) history.go(now - depth)
  for (let step = depth + 1; step <= now; step += 1) history.pushState({ step }, '')
  depth = now
}

async function goTo(step: number): Promise<void> {
  // Forward, to what is closed.
  if (step > depth) history.replaceState({ step: depth }, '')
  if (step >= depth) return
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

/** @returns whether it is left */
async function leaveTo(step: number): Promise<boolean> {
  while (depthNow() > step) {
    if (!(await leave())) return false
  }
  return true
}
