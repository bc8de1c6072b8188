/** How many probes count for the loss: a minute of them. */
const WINDOW = 20

type Reading = { readonly sent: number; readonly received: number; readonly at: number }

/** Turns probes and readings of one member into its values. */
export function createLinkMeter() {
  const answers: boolean[] = []
  let latencyMs: number | undefined
  let reading: Reading | undefined
  let sentPerSecond: number | undefined
  let receivedPerSecond: number | undefined

  return {
    noteAnswer(roundTripMs: number): void {
      note(true)
      latencyMs = latencyMs === undefined ? roundTripMs : latencyMs + (roundTripMs - latencyMs) / 4
    },
    noteSilence: (): void => note(false),
    /** @param at in the clock's time */
    readTraffic({ sent, received }: { readonly sent: number; readonly received: number }, at: number): void {
      if (reading && at > reading.at) {
        const seconds = (at - reading.at) / 1000
        // A member that was forgotten in between begins at 0 again.
        sentPerSecond = Math.max(0, sent - reading.sent) / seconds
        receivedPerSecond = Math.max(0, received - reading.received) / seconds
      }
      reading = { sent, received, at }
    },
    values: () => ({
      latencyMs,
      loss:
        answers.length > 0 ? answers.filter((isAnswered) => !isAnswered).length / answers.length : undefined,
      sentPerSecond,
      receivedPerSecond,
    }),
  }

  function note(isAnswered: boolean): void {
    answers.push(isAnswered)
    if (answers.length > WINDOW) answers.shift()
  }
}
