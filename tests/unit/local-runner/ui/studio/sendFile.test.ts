import { openFakePage } from '#support/browser/fakePage'
import { settle } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'

const page = openFakePage()
const { sendFile } = await import('../../../../../local-runner/ui/studio/sendFile')
const { RequestProblem } = await import('../../../../../local-runner/ui/shared/ask')

const test = suite('sending a file from the page')

const FILE = new File(['0123456789'], 'a.mp4', { type: 'video/mp4' })
const SESSION = { session_id: 'id', duration: 3 }
const SERVICE = 'http://service:8000/uploads/up'
const encode = (text: string) => new TextEncoder().encode(text)
const EVENTS = [
  'event: progress\ndata: {"stage":"preparing","percent":40}\n\n',
  `: keep-alive\n\nevent: result\ndata: ${JSON.stringify(SESSION)}\n\n`,
].map(encode)

/** Stands in for the browser's, of which the page uses this much. */
class FakeUpload {
  readonly upload: { onprogress: (event: object) => void } = { onprogress() {} }
  readonly headers: Record<string, string> = {}
  status = 0
  responseText = ''
  target = ''
  sent: unknown
  onload = () => {}
  onerror = () => {}
  onabort = () => {}
  open(method: string, url: string) {
    this.target = `${method} ${url}`
  }
  setRequestHeader(name: string, value: string) {
    this.headers[name] = value
  }
  send(body: unknown) {
    this.sent = body
    running.push(this)
    next(this)
  }
  abort() {
    this.onabort()
  }
  answer(status: number, text = '') {
    this.status = status
    this.responseText = text
    this.onload()
  }
}
const running: FakeUpload[] = []
let next: (upload: FakeUpload) => void = (upload) => upload.answer(200)
Object.defineProperty(globalThis, 'XMLHttpRequest', { value: FakeUpload })

/** @param pieces of the stream of POST /prepare, and what breaks it */
function serve({
  url = SERVICE,
  pieces = EVENTS,
  problem,
}: {
  url?: string
  pieces?: readonly Uint8Array[]
  problem?: Error
} = {}) {
  page.asked.length = 0
  running.length = 0
  next = (upload) => upload.answer(200)
  page.answer = async ({ path }) => {
    if (path === 'uploads') return Response.json({ upload_id: 'up', url, headers: { 'X-Kind': 'video' } })
    if (path !== 'prepare') return Response.json({})
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const piece = pieces[0]
        pieces = pieces.slice(1)
        if (piece !== undefined) return controller.enqueue(piece)
        if (problem) controller.error(problem)
        else controller.close()
      },
    })
    return new Response(body)
  }
}

function send(signal = new AbortController().signal, file = FILE) {
  const told: string[] = []
  const done = sendFile(file, signal, ({ stage, percent }) => told.push(`${stage} ${percent ?? ''}`.trim()))
  return { told, done, failure: () => done.then(String, (error: unknown) => error) }
}

const codeOf = (error: unknown) => (error instanceof RequestProblem ? error.code : error)

test('the file goes to where the service wants it, and its preview is made', async () => {
  serve({ url: 'https://bucket.example/a?signature=b' })
  next = (upload) => {
    upload.upload.onprogress({ loaded: 5, total: 10 })
    upload.answer(200)
  }
  const { told, done } = send()
  assert.equal(await done, SESSION)
  assert.equal(told, ['sending 0', 'sending 50', 'reading', 'preparing 40'])
  assert.equal(
    page.asked.map(({ path, init }) => [path, init.body]),
    [
      ['uploads', '{"size":10,"content_type":"video/mp4"}'],
      ['prepare', '{"upload_id":"up"}'],
    ],
  )
  const [upload] = running
  assert.equal(
    [upload?.target, upload?.headers],
    ['PUT https://bucket.example/a?signature=b', { 'X-Kind': 'video' }],
  )
  assert.is(upload?.sent, FILE)
  assert.is(new Headers(page.asked[1]?.init.headers).get('accept'), 'text/event-stream')
})

test("the service's own address is used as the page is; a file of no kind has one all the same", async () => {
  serve()
  await send(undefined, new File(['0'], 'a')).done
  assert.is(running[0]?.target, 'PUT uploads/up')
  assert.is(page.asked[0]?.init.body, '{"size":1,"content_type":"application/octet-stream"}')
})

test('wherever the stream is split, within a character, too, the result is read', async () => {
  const bytes = encode('event: result\ndata: {"session_id":"é"}\n\n')
  for (let at = 0; at <= bytes.length; at += 1) {
    serve({ pieces: [bytes.slice(0, at), bytes.slice(at)].filter(({ length }) => length > 0) })
    assert.equal(await send().done, { session_id: 'é' }, String(at))
  }
})

test('a refusal on any way is the problem that the service tells', async () => {
  const said = JSON.stringify({ code: 'unsupported-media', detail: 'no video' })
  serve()
  next = (upload) => upload.answer(413, '{"code":"payload-too-large","detail":"too large"}')
  assert.is(codeOf(await send().failure()), 'payload-too-large')
  assert.is(page.asked.length, 1, 'nothing is prepared')
  serve({ pieces: [encode(`event: error\ndata: ${said}\n\n`)] })
  assert.is(codeOf(await send().failure()), 'unsupported-media')
  page.answer = async () => new Response(said, { status: 415 })
  assert.is(codeOf(await send().failure()), 'unsupported-media')
})

test('a connection that breaks is a service that cannot be reached', async () => {
  serve()
  next = (upload) => upload.onerror()
  assert.is(codeOf(await send().failure()), 'unreachable')
  serve({ pieces: EVENTS.slice(0, 1) })
  assert.is(codeOf(await send().failure()), 'unreachable', 'it ends before the result')
  serve({ pieces: EVENTS.slice(0, 1), problem: new TypeError('network error') })
  assert.is(codeOf(await send().failure()), 'unreachable')
  assert.not.ok(page.asked.some(({ init }) => init.method === 'DELETE'))
})

test('an abort ends the sending and the preparing with its reason, and the service is told', async () => {
  const why = new Error('another file was chosen')
  serve()
  next = () => {}
  const stop = new AbortController()
  const { failure } = send(stop.signal)
  const sending = failure()
  await settle()
  assert.is(running.length, 1)
  stop.abort(why)
  assert.is(await sending, why)
  assert.equal(page.asked.at(-1), { path: 'uploads/up', init: page.asked.at(-1)?.init })
  assert.is(page.asked.at(-1)?.init.method, 'DELETE')

  serve({ pieces: [], problem: why })
  const late = new AbortController()
  next = (upload) => {
    upload.answer(200)
    late.abort(why)
  }
  assert.is(await send(late.signal).failure(), why)
  assert.equal(page.asked.map(({ path }) => path).at(-1), 'uploads/up')
})

test.run()
