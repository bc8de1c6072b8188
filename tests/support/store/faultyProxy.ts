import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { openPort } from '#support/process/openPort'

/** What goes wrong with one request. Bytes are of the answer's body. */
export type Fault =
  /** The connection is reset; the server never hears of it. */
  | { readonly kind: 'reset' }
  | { readonly kind: 'status'; readonly status: number }
  /** No answer ever comes; the server never hears of it. */
  | { readonly kind: 'silence' }
  /** The server does its work, and the connection is reset instead of its answer. */
  | { readonly kind: 'lost' }
  /** The connection is reset after so many bytes. */
  | { readonly kind: 'cut'; readonly after: number }
  /** It reaches the server so much later. */
  | { readonly kind: 'late'; readonly ms: number }
  /** Nothing more comes after so many bytes. */
  | { readonly kind: 'stall'; readonly after: number }

export type Passing = {
  readonly method: string
  /** With its query. */
  readonly path: string
  /** Counts the requests from 1 on. */
  readonly count: number
  readonly headers: IncomingMessage['headers']
}

export type FaultyProxy = {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  /** Decides on each request from now on; counting begins anew. */
  inject(decide: (passing: Passing) => Fault | undefined): void
  /** What passed since. */
  readonly passed: readonly Passing[]
  /** Requests that have no whole answer yet. */
  open(): number
  stop(): Promise<void>
}

/** An HTTP proxy in front of a server that spoils what it is told to, and nothing else. */
export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  let decide: (passing: Passing) => Fault | undefined = () => undefined
  const passed: Passing[] = []
  let open = 0
  const server = createServer((incoming, outgoing) => {
    const { method = '', url: path = '', headers } = incoming
    const passing = { method, path, headers, count: passed.length + 1 }
    passed.push(passing)
    incoming.on('error', () => undefined)
    open += 1
    outgoing.once('close', () => {
      open -= 1
    })
    spoil(decide(passing), target, incoming, outgoing)
  })
  return {
    url: `http://127.0.0.1:${await openPort(server)}`,
    passed,
    open: () => open,
    inject(next) {
      passed.length = 0
      decide = next
    },
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function spoil(
  fault: Fault | undefined,
  target: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): void {
  if (fault?.kind === 'reset') return void incoming.socket.resetAndDestroy()
  if (fault?.kind === 'late') {
    return void setTimeout(() => spoil(undefined, target, incoming, outgoing), fault.ms)
  }
  if (fault?.kind === 'silence') return void incoming.resume()
  if (fault?.kind === 'status') {
    incoming.resume()
    return void outgoing.writeHead(fault.status, { 'Content-Type': 'application/xml' }).end()
  }
  const { method, url, headers } = incoming
  const forwarded = request(new URL(target), { method, path: url, headers }, (answer) => {
    if (fault?.kind === 'lost') {
      answer.resume()
      return void answer.on('end', () => incoming.socket.resetAndDestroy())
    }
    outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
    answer.on('error', () => outgoing.destroy())
    if (fault === undefined) return void answer.pipe(outgoing)
    passUntil(fault, answer, outgoing)
  })
  forwarded.on('error', () => incoming.socket.destroy())
  outgoing.on('close', () => forwarded.destroy())
  incoming.pipe(forwarded)
}

function passUntil(
  fault: Extract<Fault, { after: number }>,
  answer: IncomingMessage,
  outgoing: ServerResponse,
): void {
  let left = fault.after
  let isSpoilt = false
  outgoing.flushHeaders()
  answer.on('data', (chunk: Buffer) => {
    if (isSpoilt) return
    const part = chunk.subarray(0, left)
    left -= part.length
    isSpoilt = left === 0
    const isCut = isSpoilt && fault.kind === 'cut'
    outgoing.write(part, () => {
      if (isCut) outgoing.socket?.resetAndDestroy()
    })
  })
  answer.on('end', () => {
    // Shorter than the fault is late.
    if (!isSpoilt) outgoing.end()
  })
}
