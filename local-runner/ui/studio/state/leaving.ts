import { effect, signal } from '@preact/signals'
import type { Photo } from '../photo/makePhoto'
import { isLosing, isUnsaved, list, photos } from './store'

/** What is asked before something is lost, as long as it is asked. */
export type Question = {
  readonly photos: readonly Photo[]
  /** How many files of the list are still to be made. */
  readonly waiting: number
  readonly answer: (goesOn: boolean) => void
}

export const question = signal<Question | undefined>(undefined)

/** Photos of the file that is open that were downloaded. */
const saved = new WeakSet<Photo>()

let wasUnsaved = false

effect(() => {
  if (isUnsaved.value === wasUnsaved) return
  wasUnsaved = isUnsaved.value
  // With the newest one all begins anew: the others were downloaded before.
  for (const photo of photos.peek().slice(wasUnsaved ? 1 : 0)) saved.add(photo)
})

/** Asks the person where something would be lost. @returns whether it may be */
export function mayLeave(): Promise<boolean> {
  if (!isLosing()) return Promise.resolve(true)
  question.value?.answer(false)
  return new Promise((resolve) => {
    const waiting = list.value.filter(({ state }) => state === 'waiting' || state === 'making').length
    const answer = (goesOn: boolean) => {
      question.value = undefined
      resolve(goesOn)
    }
    question.value = { photos: unsaved(), waiting, answer }
  })
}

function unsaved(): readonly Photo[] {
  const listed = list.value
    .filter(({ state }) => state === 'made')
    .flatMap(({ photos: [newest] }) => newest ?? [])
  const own = isUnsaved.value ? photos.value.filter((photo) => !saved.has(photo)) : []
  return [...new Set([...own, ...listed])]
}
