import { batch, effect, signal } from '@preact/signals'
import type { Cut } from '../photo/cut'
import { choose, options, type PhotoOptions } from '../photo/options'
import { cut, held, type Opened, opened, setCut } from './store'

/** What can be taken back: the range with its cover, and what stays of the picture. */
type Step = Pick<PhotoOptions, 'shape' | 'crop' | 'rotate'> & { readonly cut: Cut }

const MAX_STEPS = 100
/** Changes of the same that follow each other as fast are one, as of a key that is held. */
const ONE_CHANGE_MS = 500

/** What of a step can differ. */
const NAMES = ['start', 'cover', 'end', 'crop', 'rotate']

const past = signal<readonly Step[]>([])
const future = signal<readonly Step[]>([])

export const canUndo = () => past.value.length > 0
export const canRedo = () => future.value.length > 0

let of: Opened | undefined
let last = stepNow()
let changedAt = 0
/** What was changed last. */
let changed = ''
let isGoing = false

effect(() => {
  const now = stepNow()
  if (opened.value !== of) begin(now)
  else if (held.value === undefined && !isGoing && differenceOf(last, now) !== '') record(now)
})

function begin(now: Step): void {
  of = opened.value
  last = now
  changed = ''
  batch(() => {
    past.value = []
    future.value = []
  })
}

function record(now: Step): void {
  const at = performance.now()
  const what = differenceOf(last, now)
  const isNew = what !== changed || at - changedAt > ONE_CHANGE_MS
  changedAt = at
  changed = what
  const before = last
  last = now
  batch(() => {
    if (isNew) past.value = [...past.peek(), before].slice(-MAX_STEPS)
    future.value = []
  })
}

/** @returns the frame that changed, to be shown; undefined where there was nothing to take back */
export function undo(): number | undefined {
  return go(past, future)
}

/** Does again what was taken back. */
export function redo(): number | undefined {
  return go(future, past)
}

function go(from: typeof past, to: typeof past): number | undefined {
  const step = from.value.at(-1)
  const video = opened.value
  if (!step || !video || held.value !== undefined) return undefined
  const before = last
  isGoing = true
  batch(() => {
    from.value = from.value.slice(0, -1)
    to.value = [...to.value, before]
    setCut(step.cut, video.frames)
    choose({ shape: step.shape, crop: step.crop, rotate: step.rotate })
  })
  isGoing = false
  last = stepNow()
  // What is changed next is a step of its own.
  changed = ''
  return changedFrame(before.cut, step.cut)
}

function stepNow(): Step {
  const { shape, crop, rotate } = options.value
  return { cut: cut.value, shape, crop, rotate }
}

/** The names of what is another; empty where all is the same. */
function differenceOf(one: Step, other: Step): string {
  const parts = [partsOf(one), partsOf(other)].map((step) => step.map((part) => JSON.stringify(part)))
  return NAMES.filter((_, at) => parts[0]?.[at] !== parts[1]?.[at]).join()
}

function partsOf({ cut: { start, cover, end }, shape, crop, rotate }: Step) {
  return [start, cover, end, [shape, crop], rotate]
}

function changedFrame(before: Cut, after: Cut): number {
  if (before.start !== after.start) return after.start
  return before.end === after.end ? after.cover : after.end - 1
}
