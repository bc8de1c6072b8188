import type { Clock } from '../async/clock'
import { createDeferred } from '../async/deferred'
import { repeat } from '../async/repeat'
import { ServiceError } from '../errors'
import { describeError, type Log } from '../log'
import { failureOf } from './errorResponse'

/** Sends one event. Data becomes JSON. */
export type SendEvent = (event: string, data: unknown) => void

/** A comment comes first and then as often, so that no proxy takes the connection for idle. */
const KEEP_ALIVE_MS = 15_000

/**
 * Whether a client asks for events instead of an ordinary answer, by `Accept: text/event-stream`.
 * @example if (!wantsEvents(context.req.raw)) return context.json(await work(signal))
 */
export function wantsEvents({ headers }: { readonly headers: Headers }): boolean {
  return /(^|,)\s*text\/event-stream\s*(;|,|$)/i.test(headers.get('Accept') ?? '')
}

/**
 * Answers with server-sent events from the first one that the work sends. Then comes a `result` event with what the work
 * returns, or an `error` event with `code`, `detail` and `status`, and the end.
 * @param work gets `leaving`, which aborts when the client no longer reads
 * @throws what the work throws before its first event: the failure is then an ordinary answer with its own status
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 * @example
 * return answerWithEvents({ clock, log }, (send, leaving) =>
 *   createSession(request, leaving, (percent) => send('progress', { percent })),
 * )
 */
export async function answerWithEvents(
  { clock, log }: { readonly clock: Pick<Clock, 'after'>; readonly log: Log },
  work: (send: SendEvent, leaving: AbortSignal) => Promise<unknown>,
): Promise<Response> {
  const gone = new AbortController()
  const over = new AbortController()
  const { readable, writable } = new TextEncoderStream()
  const writer = writable.getWriter()
  writer.closed.catch(() => {
    over.abort()
    gone.abort(new ServiceError('unavailable', 'The client left.'))
  })
  // What is written after that is lost.
  const write = (lines: string) => void writer.write(`${lines}\n\n`).catch(() => undefined)
  repeat(clock, KEEP_ALIVE_MS, over.signal, () => write(': keep-alive'))
  const end = () => {
    over.abort()
    writer.close().catch(() => undefined)
  }
  const begun = createDeferred()
  const send: SendEvent = (event, data) => {
    write(`event: ${event}\ndata: ${JSON.stringify(data)}`)
    begun.resolve()
  }
  const working = work(send, gone.signal)
  await Promise.race([begun.promise, working]).catch((error: unknown) => {
    end()
    throw error
  })
  void working
    .then((result) => send('result', result))
    .catch((thrown: unknown) => {
      const { error, status } = failureOf(thrown)
      if (status >= 500 && !gone.signal.aborted) {
        log.error('request failed while events were sent', { code: error.code, cause: describeError(error) })
      }
      send('error', { code: error.code, detail: error.detail, status })
    })
    .finally(end)
  return new Response(readable, {
    headers: {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      // nginx would collect the events.
      'X-Accel-Buffering': 'no',
    },
  })
}
