// What changes by itself waits while something is about to be pressed, so that nothing else comes under the pointer.

const AIMING_MS = 500
const LONGEST_MS = 2000
const PRESSABLE = 'a, button, input, label, select, summary, textarea'

let isDown = false
/** When the pointer has last moved over something that can be pressed. */
let aimedAt = Number.NEGATIVE_INFINITY

addEventListener('pointermove', ({ target }) => {
  const isPressable = target instanceof Element && target.closest(PRESSABLE) !== null
  aimedAt = isPressable ? performance.now() : Number.NEGATIVE_INFINITY
})
addEventListener('pointerdown', () => {
  isDown = true
})
for (const end of ['pointerup', 'pointercancel'])
  addEventListener(end, () => {
    isDown = false
    aimedAt = Number.NEGATIVE_INFINITY
  })

/** Resolves when nothing is about to be pressed, or after two seconds. */
export async function steady(): Promise<void> {
  const began = performance.now()
  for (let now = began; now - began < LONGEST_MS; now = performance.now()) {
    if (!isDown && now - aimedAt >= AIMING_MS) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
