/** An event of a stream, with its data as text. */
export type StreamEvent = { readonly name: string; readonly data: string }

/**
 * Takes the whole events out of what has come of a stream. Only the fields of the service's own streams are read: one line of
 * `event`, one of `data`.
 * @returns the events, and the rest, to which the next piece belongs
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export function takeEvents(text: string): { readonly events: readonly StreamEvent[]; readonly rest: string } {
  const blocks = text.split('\n\n')
  const rest = blocks.pop() ?? ''
  const events = blocks.flatMap((block) => {
    const name = /^event: (.*)$/m.exec(block)?.[1]
    const data = /^data: (.*)$/m.exec(block)?.[1]
    return name === undefined || data === undefined ? [] : [{ name, data }]
  })
  return { events, rest }
}
