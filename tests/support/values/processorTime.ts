/** The processor time of a step of this process, in milliseconds: waiting for a busy machine does not count. */
export function processorMs(step: () => void): number {
  const before = process.cpuUsage()
  step()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** The processor time that so many steps of a plain loop take on this machine now, in milliseconds. */
export function loopMs(steps: number): number {
  let sum = 1
  const ms = processorMs(() => {
    for (let step = 0; step < steps; step += 1) sum = (Math.imul(sum, 31) + step) | 0
  })
  // Used, so that the loop is not left out.
  return sum === 0.5 ? 0 : ms
}
