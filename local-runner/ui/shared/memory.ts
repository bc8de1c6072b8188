/** Garbage is marked in steps: the first buffer begins it, and each further one goes on. */
const STEPS = 5
const STEP_MS = 40
let stepsLeft = 0

/** Has the browser collect garbage soon: it does not count coded pictures. */
export function collect(): void {
  if (stepsLeft === 0) setTimeout(step, STEP_MS)
  stepsLeft = STEPS
  press()
}

function step(): void {
  press()
  stepsLeft -= 1
  if (stepsLeft > 0) setTimeout(step, STEP_MS)
}

/** A buffer that is never touched counts, and takes no memory. */
function press(): ArrayBuffer | undefined {
  try {
    return new ArrayBuffer(128 * 1024 * 1024)
  } catch {
    // A small device may have no room for the promise of it.
    return undefined
  }
}

/** Frees what a buffer has, which is not used any more. An older browser does it when it collects garbage. */
export function letGo(buffer: (ArrayBufferLike & { transfer?(bytes: number): unknown }) | undefined): void {
  if (buffer && buffer.byteLength > 0) buffer.transfer?.(0)
}
