import type { ShadowTree } from './shadowTree'

/** A pointer that only passes by wants nothing. */
const HOVER_MS = 120
/** Time to press a key instead, which then starts the clip and does not stop it. */
const FOCUS_MS = 400
const PRESS_MS = 350
/** A finger that moves further scrolls. */
const PRESS_MOVE_PX = 12

/** What holds while it lasts: the clip stops when the last of them ends. */
export type Wish = 'hover' | 'focus' | 'press'

export type WishActions = {
  begin(wish: Wish): void
  end(wish: Wish): void
  /** By a click or a key on the button. */
  toggle(): void
  toggleSound(): void
  /** By the Escape key. @returns whether there was something to stop */
  stop(): boolean
}

/** Listens to pointers and keys of the element's own parts, for as long as these exist. */
export function listenForWishes(tree: ShadowTree, actions: WishActions): void {
  listenForPointers(tree.frame, actions)
  listenForPresses(tree, actions)
  const { frame, badge, sound } = tree
  const focused = createHold('focus', FOCUS_MS, actions)
  badge.addEventListener('focus', () => {
    if (badge.matches(':focus-visible')) focused.begin()
  })
  frame.addEventListener('focusout', ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && frame.contains(relatedTarget))) focused.end()
  })
  frame.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && actions.stop()) event.stopPropagation()
  })
  for (const [button, act] of [
    [badge, () => actions.toggle()],
    [sound, () => actions.toggleSound()],
  ] as const)
    button.addEventListener('click', (event) => {
      // It is no click on a link or a lightbox around the element.
      event.preventDefault()
      event.stopPropagation()
      focused.drop()
      act()
    })
}

function listenForPointers(frame: HTMLElement, actions: WishActions): void {
  const hovered = createHold('hover', HOVER_MS, actions)
  frame.addEventListener('pointerenter', ({ pointerType }) => {
    if (pointerType !== 'touch') hovered.begin()
  })
  frame.addEventListener('pointerleave', () => hovered.end())
}

function listenForPresses({ frame, badge, sound }: ShadowTree, actions: WishActions): void {
  const pressed = createHold('press', PRESS_MS, actions)
  let from = { x: 0, y: 0, time: 0 }
  const end = ({ timeStamp }: Event) => {
    pressed.end()
    frame.classList.remove('pressed')
    // A busy page handles the end of a short press late: by the timestamps of its events it is still a tap.
    if (timeStamp - from.time < PRESS_MS) pressed.forget()
  }
  frame.addEventListener('pointerdown', (event) => {
    const isOnButton = [badge, sound].some((button) => event.composedPath().includes(button))
    if (isOnButton || event.button !== 0) return
    from = { x: event.clientX, y: event.clientY, time: event.timeStamp }
    frame.classList.add('pressed')
    pressed.begin()
  })
  frame.addEventListener('pointermove', (event) => {
    const isFar = Math.hypot(event.clientX - from.x, event.clientY - from.y) > PRESS_MOVE_PX
    if (isFar && !pressed.isHeld()) end(event)
  })
  for (const type of ['pointerup', 'pointercancel', 'pointerleave']) frame.addEventListener(type, end)
  // On touch screens a long press opens a menu, and may end as a click on the link around.
  frame.addEventListener('contextmenu', (event) => {
    if (pressed.isHeld()) event.preventDefault()
  })
  frame.addEventListener('click', (event) => {
    if (!pressed.wasHeld()) return
    event.preventDefault()
    event.stopPropagation()
  })
}

/** A wish that begins when it has lasted for a while. */
function createHold(wish: Wish, delayMs: number, { begin, end }: WishActions) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let state: 'none' | 'waiting' | 'held' | 'ended' = 'none'
  const drop = () => {
    clearTimeout(timer)
    if (state === 'waiting') state = 'none'
  }
  const forget = () => {
    if (state === 'ended') state = 'none'
  }
  return {
    drop,
    begin() {
      drop()
      state = 'waiting'
      timer = setTimeout(() => {
        state = 'held'
        begin(wish)
      }, delayMs)
    },
    end() {
      const wasHeld = state === 'held'
      drop()
      if (!wasHeld) return
      state = 'ended'
      end(wish)
    },
    isHeld: () => state === 'held',
    /** Whether it has ended by what happens now: once. */
    wasHeld() {
      const hasEnded = state === 'ended'
      forget()
      return hasEnded
    },
    forget,
  }
}
