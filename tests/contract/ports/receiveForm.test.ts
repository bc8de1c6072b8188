import { EventEmitter, once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { createWorkFolders } from '@lantern-room/adapters/files'
import { receiveForm } from '@lantern-room/adapters/forms'
import { type ErrorCode, ServiceError } from '@lantern-room/base'
import type { ReceivedForm, ReceiveForm, WorkFolder, WorkFolders } from '@lantern-room/media/ports'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { noise, text } from '#support/values/bytes'
import { each } from '#support/values/each'
import { equalBytes } from '#support/values/equalBytes'
import { rejectedRefusal, rejection } from '#support/values/failures'
import { createPrng } from '#support/values/prng'
import { present, refusal } from './expected'
import { entriesBelow, openFilesBelow } from './leaks'

type Options = Partial<Parameters<ReceiveForm>[1]>
type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

const boundary = '----boundary'
const url = 'http://127.0.0.1/prepare'
const never = new AbortController().signal
const accept = () => undefined

// What the port ReceiveForm asks of its adapter.

const test = suite('receiving a form', { timeoutMs: 30_000 })
let place: string
let folders: WorkFolders
let folder: WorkFolder
test.before.each(async () => {
  place = await makeTempFolder('form')
  folders = createWorkFolders({ folder: place })
  folder = await folders.open()
})
test.after.each(async () => {
  await folder.dispose()
  const left = await leaks()
  await removeFolders(place)
  assert.equal(left, [])
})

const receive = (request: Request, options: Options = {}) =>
  receiveForm(request, {
    folder,
    maxFileBytes: 10_000_000,
    idleMs: 60_000,
    checkHead: accept,
    signal: never,
    ...options,
  })
const saved = async ({ file }: ReceivedForm) => {
  const { path, size } = present(file)
  const bytes = await readAll(path)
  assert.is(size, bytes.length)
  return bytes
}
const inOwnFolder = async <T>(use: (own: WorkFolder) => Promise<T>): Promise<T> => {
  const own = await folders.open()
  try {
    return await use(own)
  } finally {
    await own.dispose()
  }
}
/** Each in a folder of its own, so that one call leaves nothing for the next. */
const receiveAlone = (request: Request, options: Options = {}) =>
  inOwnFolder((own) => receive(request, { folder: own, ...options }))
const arrives = (request: Request, bytes: Uint8Array) =>
  inOwnFolder(async (own) => equalBytes(await saved(await receive(request, { folder: own })), bytes))
const isIncomplete = async (receiving: Promise<unknown>, what?: string) => {
  const { detail } = await refusal(receiving, 'invalid-request')
  assert.match(detail, /^The upload ended before it was complete\./, what)
}

test('a form as browsers and curl send it: its file and its fields', async () => {
  const form = new FormData()
  form.append('speed', '2')
  form.append('file', new File([noise(200_001)], 'Ü "x".mp4', { type: 'video/mp4' }))
  form.append('title', 'Ferien – 夏\r\nzwei')
  const received = await receive(new Request(url, { method: 'POST', body: form }))
  equalBytes(await saved(received), noise(200_001))
  assert.equal([...received.fields].flat(), ['speed', '2', 'title', 'Ferien – 夏\r\nzwei'])
})

test('a file of any size around the buffers, in chunks of any size, arrives exactly', async () => {
  for (const size of [1, 4095, 4096, 4097, 65_535, 65_536, 65_537, 1_000_000])
    for (const chunkSize of [1000, 4096, 65_536, 2_000_000]) {
      const body = formBody([filePart(noise(size))])
      await arrives(requestOf(chunked(body, chunkSize)), noise(size))
    }
})

test('a file that holds all but a boundary, in any split, arrives exactly', async () => {
  const tricky = text(`\r\n--\r\n--\r\n\r\n--${boundary.slice(0, -1)}--${boundary}\r\n--\r\n`)
  const body = formBody([filePart(tricky)])
  for (let split = 1; split < body.length; split++)
    await arrives(requestOf([body.subarray(0, split), body.subarray(split)]), tricky)
})

test('a form without a file, or with an empty one, is a form', async () => {
  assert.is((await receive(requestOf([formBody([fieldPart('a', 'b')])]))).file, undefined)
  assert.is((await receive(requestOf([formBody([])]))).file, undefined)
  const { file } = await receive(requestOf([formBody([filePart(new Uint8Array())])]), { checkHead: refuse })
  assert.is(present(file).size, 0)
  assert.is((await readAll(present(file).path)).length, 0)
})

test('a browser’s form in which nobody chose a file has an empty file', async () => {
  const part =
    'Content-Disposition: form-data; name="file"; filename=""\r\nContent-Type: application/octet-stream'
  const { file } = await receive(requestOf([formBody([[part, new Uint8Array()]])]))
  assert.is(present(file).size, 0)
})

test('no name of a field is special, and one that is there twice is refused by its name', async () => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'file', '', ' ', 'a"b', 'ä']
  const parts = names.map((name) => fieldPart(name, `value of ${name}`))
  const received = await receive(requestOf([formBody(parts)]))
  assert.is(received.fields.get('__proto__'), 'value of __proto__')
  assert.is(received.fields.get('constructor'), 'value of constructor')
  assert.is(received.fields.get('file'), 'value of file')
  assert.is(received.fields.get('hasOwnProperty'), 'value of hasOwnProperty')
  assert.is(Object.getPrototypeOf(received.fields), Map.prototype)
  assert.is(received.file, undefined)
  for (const name of ['__proto__', 'speed']) {
    const twice = formBody([fieldPart(name, '1'), fieldPart('other', '1'), fieldPart(name, '1')])
    const error = await refusal(receiveAlone(requestOf([twice])), 'unprocessable')
    assert.is(error.message, `The field "${name}" was sent twice. Send it once.`)
  }
})

test('only the first file of the name "file" is taken, others are let pass', async () => {
  const body = formBody([
    filePart(noise(70_000), 'other'),
    filePart(noise(300_000), '__proto__'),
    filePart(noise(100_000)),
    filePart(noise(90_000)),
    fieldPart('after', 'all'),
  ])
  const received = await receive(requestOf(chunked(body, 5000)))
  equalBytes(await saved(received), noise(100_000))
  assert.equal([...received.fields], [['after', 'all']])
})

test('a text that is sent as a file is refused by its name, wherever it is', async () => {
  for (const parts of [
    [filePart(text('1'), 'speed'), filePart(noise(100_000))],
    [filePart(noise(100_000)), filePart(text('1'), 'speed')],
  ]) {
    const request = requestOf(chunked(formBody(parts), 5000))
    const error = await refusal(receiveAlone(request, { texts: ['mute', 'speed'] }), 'invalid-request')
    assert.match(error.message, /^The field "speed" was sent as a file\. Send it as text/)
  }
})

test('the head is checked once, with the first 4,096 bytes, before anything is written', async () => {
  for (const [size, chunkSize] of [
    [1, 1],
    [4095, 100],
    [4096, 100],
    [4097, 1],
    [100_000, 77],
    [100_000, 65_536],
  ] as const) {
    const own = await folders.open()
    const heads: Uint8Array[] = []
    const leaksBefore = (await leaks()).length
    await receive(requestOf(chunked(formBody([filePart(noise(size))]), chunkSize)), {
      folder: own,
      checkHead: (head: Uint8Array) => heads.push(head),
    })
    assert.is(heads.length, 1)
    equalBytes(present(heads[0]), noise(size).subarray(0, 4096))
    assert.ok((await leaks()).length > leaksBefore)
    await own.dispose()
  }
})

test('a refused head stops the reading at once, with the error of the check, and nothing is written', async () => {
  let sent = 0
  async function* body() {
    yield begun(filePart(new Uint8Array()))
    for (; sent < 1000; sent++) yield noise(65_536)
  }
  const before = await leaks()
  const error = await rejection(receive(requestOf(body()), { checkHead: refuse, maxFileBytes: 2 ** 31 }))
  assert.is(error, refused)
  assert.ok(sent < 50, `${sent} chunks were still read`)
  assert.equal(await leaks(), before)
})

test('a file of exactly the limit is taken, one byte more is not', async () => {
  for (const chunkSize of [1000, 100_000]) {
    const fits = requestOf(chunked(formBody([filePart(noise(50_000))]), chunkSize))
    assert.is(present((await receiveAlone(fits, { maxFileBytes: 50_000 })).file).size, 50_000)
    const larger = requestOf(chunked(formBody([filePart(noise(50_001))]), chunkSize))
    const error = await refusal(receiveAlone(larger, { maxFileBytes: 50_000 }), 'payload-too-large')
    assert.match(error.detail, /50000 bytes/)
  }
})

test('a length over the limit is refused without reading', async () => {
  let read = 0
  async function* body() {
    for (; ; read++) yield noise(65_536)
  }
  const request = requestOf(body(), { 'content-length': String(1_000_000 + 65_537) })
  await nextTurn()
  const readBefore = read
  await refusal(receive(request, { maxFileBytes: 1_000_000 }), 'payload-too-large')
  await nextTurn()
  assert.is(read, readBefore)
})

test('a body without end is refused while it is counted, whatever it holds', async () => {
  const starts = [
    begun(filePart(new Uint8Array())),
    begun(filePart(new Uint8Array(), 'other')),
    begun(fieldPart('a', '')),
    text('a preamble without a boundary'),
    formBody([filePart(noise(10))]),
  ]
  for (const start of starts) {
    let sent = 0
    async function* body() {
      yield start
      for (; ; sent++) yield noise(65_536)
    }
    await rejectedRefusal(receiveAlone(requestOf(body()), { maxFileBytes: 1_000_000 }), 'payload-too-large')
    assert.ok(sent < 40)
  }
})

test('a body that is cut, at every byte, is refused as incomplete', async () => {
  const body = formBody([fieldPart('a', 'b'), filePart(noise(20)), fieldPart('c', 'd')])
  // Only the line end after the last boundary may be missing.
  for (let length = 0; length < body.length - 2; length++)
    for (const chunkSize of [body.length, 7]) {
      const cut = receiveAlone(requestOf(chunked(body.subarray(0, length), chunkSize)))
      await isIncomplete(cut, `${length} bytes`)
    }
  for (let length = body.length - 2; length <= body.length; length++) {
    const { file, fields } = await receiveAlone(requestOf([body.subarray(0, length)]))
    assert.is(present(file).size, 20)
    assert.equal([...fields.keys()], ['a', 'c'])
  }
})

test('a body that stalls is given up, one that is slow is not', async () => {
  const body = formBody([filePart(noise(20))])
  const stalled = receive(requestOf(stalling(body.subarray(0, -30))), { idleMs: 50 })
  const error = await refusal(stalled, 'invalid-request')
  assert.match(error.detail, /^No byte of the upload has arrived for 0\.05 s\./)
  const slow = await receiveAlone(requestOf(spaced(chunked(body, 20), 30)), { idleMs: 5000 })
  assert.is(present(slow.file).size, 20)
})

test('a body whose sender breaks off is refused as incomplete, wherever that is', async () => {
  const body = formBody([fieldPart('a', 'b'), filePart(noise(9000))])
  for (const length of [0, 1, 60, 200, 4500, 9100]) {
    async function* broken() {
      yield body.subarray(0, length)
      throw new Error('ECONNRESET')
    }
    await isIncomplete(receiveAlone(requestOf(broken())))
  }
})

test('an abort in the middle of a body that has stopped coming ends at once, with its reason', async () => {
  const body = formBody([fieldPart('a', 'b'), filePart(noise(200_000))])
  for (const length of [0, 10, 100, 3000, 150_000, body.length - 3]) {
    const abort = new AbortController()
    const reason = new Error(`stopped after ${length} bytes`)
    const waiting = new EventEmitter()
    const stalls = once(waiting, 'stalled')
    async function* stalled() {
      yield body.subarray(0, length)
      waiting.emit('stalled')
      await new Promise(() => undefined)
    }
    const own = await folders.open()
    const receiving = rejection(receive(requestOf(stalled()), { folder: own, signal: abort.signal }))
    await stalls
    await nextTurn()
    // Once in the middle of writing, else at whatever step it has reached.
    const isSeenOpen = async () => openNow(await leaks()).length > 0
    if (length === 150_000 && process.platform === 'linux') while (!(await isSeenOpen())) await nextTurn()
    abort.abort(reason)
    assert.is(await receiving, reason)
    assert.equal(openNow(await leaks()), [])
    await own.dispose()
  }
})

test('a content type that is no multipart form is refused', async () => {
  const others = ['', 'video/mp4', 'application/json', 'application/x-www-form-urlencoded', 'text/plain']
  const broken = ['multipart', ';', 'multipart/mixed; boundary=x', 'multipart/form-data boundary=x']
  const ends = ['', ';', '; boundary', '; boundary="', '; x=y', '; boundary=', `; =${boundary}`]
  for (const type of [...others, ...broken, ...ends.map((end) => `multipart/form-data${end}`)]) {
    const request = requestOf([formBody([filePart(noise(10))])], { 'content-type': type })
    await refusal(receiveAlone(request), 'invalid-request')
  }
  const empty = new Request(url, { method: 'POST', headers: { 'content-type': formType } })
  await refusal(receiveAlone(empty), 'invalid-request')
})

test('unusual spellings of the content type are understood', async () => {
  const types = [
    `Multipart/Form-Data; boundary=${boundary}`,
    `multipart/form-data;boundary="${boundary}"`,
    `multipart/form-data ; charset=utf-8; boundary=${boundary}`,
  ]
  for (const type of types) {
    const request = requestOf([formBody([filePart(noise(10))])], { 'content-type': type })
    assert.is((await receiveAlone(request)).file?.size, 10, type)
  }
  const long = 'b'.repeat(70)
  const body = formBody([filePart(noise(10_000))], long)
  const request = requestOf(chunked(body, 33), { 'content-type': `multipart/form-data; boundary=${long}` })
  assert.is((await receiveAlone(request)).file?.size, 10_000)
})

test('a broken form is refused, whatever is broken, and never hangs', async () => {
  const broken: Record<string, string> = {
    'no boundary at all': 'hello',
    'another boundary': '--other\r\n\r\nx\r\n--other--\r\n',
    'a header without a colon': `--${boundary}\r\nContent-Disposition\r\n\r\nx\r\n--${boundary}--\r\n`,
    'a header with control characters': `--${boundary}\r\nA\0: b\r\n\r\nx\r\n--${boundary}--\r\n`,
    'a header of a megabyte': `--${boundary}\r\nA: ${'x'.repeat(1_000_000)}\r\n\r\nx\r\n--${boundary}--\r\n`,
    'a line end without its first half': `--${boundary}\nA: b\n\nx\n--${boundary}--\n`,
  }
  for (const [what, body] of Object.entries(broken))
    for (const chunkSize of [100_000, 13]) {
      const error = await rejection(receiveAlone(requestOf(chunked(text(body), chunkSize))))
      assert.ok(error instanceof ServiceError && error.code === 'invalid-request', `${what}: ${error}`)
    }
})

test('parts without a name or a disposition are left out', async () => {
  const body = formBody([
    ['Content-Type: text/plain', text('x')],
    ['Content-Disposition: form-data', text('x')],
    ['Content-Disposition: form-data; filename="x"', text('x')],
    ['Content-Disposition: attachment; name="file"; filename="x"', text('x')],
    ['X: y', text('x')],
    fieldPart('a', 'b'),
  ])
  const { fields, file } = await receive(requestOf([body]))
  assert.equal([...fields], [['a', 'b']])
  assert.is(file, undefined)
})

test('more fields than allowed, a longer one, and too many files are refused', async () => {
  const fields = (count: number) => Array.from({ length: count }, (_, n) => fieldPart(`f${n}`, 'x'))
  const cases: readonly (readonly [readonly Part[], boolean])[] = [
    [fields(20), true],
    [fields(21), false],
    [fields(2000), false],
    [[fieldPart('a', 'x'.repeat(4096))], true],
    [[fieldPart('a', 'x'.repeat(4097))], false],
    [Array.from({ length: 5 }, () => filePart(noise(5000), 'other')), true],
    [Array.from({ length: 6 }, () => filePart(noise(5000), 'other')), false],
    [Array.from({ length: 500 }, (): Part => ['A: b', text('x')]), false],
  ]
  for (const [parts, isTaken] of cases)
    for (const chunkSize of [1_000_000, 700]) {
      const receiving = receiveAlone(requestOf(chunked(formBody(parts), chunkSize)))
      if (isTaken) await receiving
      else await refusal(receiving, 'invalid-request')
    }
})

test('a disk that refuses is not the fault of the client, and the request does not hang', async () => {
  await folder.dispose()
  await refusal(receive(requestOf(chunked(formBody([filePart(noise(900_000))]), 10_000))), 'unavailable')
})

test('bytes at random and forms with random faults are an answer or a refusal, never anything else', async () => {
  const codes: readonly ErrorCode[] = ['invalid-request', 'payload-too-large', 'unprocessable']
  const files = [filePart(noise(600)), filePart(noise(50), 'x')]
  const whole = formBody([fieldPart('a', 'b'), ...files, fieldPart('c', 'd')])
  const { integer } = createPrng(20_240_501)
  for (let round = 0; round < 400; round++) {
    const body = whole.slice()
    for (let fault = integer(1, 4); fault > 0; fault--) body[integer(0, body.length - 1)] = integer(0, 255)
    const request = requestOf(chunked(body, integer(1, 200)))
    const outcome = receiveAlone(request, { maxFileBytes: integer(500, 699) })
    const error: unknown = await outcome.then(() => undefined).catch((reason) => reason)
    if (error === undefined) continue
    if (!(error instanceof ServiceError)) throw error
    assert.ok(codes.includes(error.code), error.code)
  }
})

test('forty uploads at once, of which every other one breaks off, do not mix', async () => {
  const outcomes = await Promise.allSettled(
    Array.from({ length: 40 }, async (_, n) => {
      const body = formBody([filePart(noise(30_000 + n))])
      async function* slow() {
        for (const chunk of chunked(n % 2 === 0 ? body : body.subarray(0, 20_000), 1000 + n)) {
          if (n % 3 === 0) await nextTurn()
          yield chunk
        }
      }
      await arrives(requestOf(slow()), noise(30_000 + n))
    }),
  )
  const expected = outcomes.map((_, n) => (n % 2 === 0 ? 'fulfilled' : 'rejected'))
  assert.equal(each(outcomes, 'status'), expected)
})

/** What is open in the place of the work folders at the moment of the call, and what lies there; nothing after each test. */
async function leaks(): Promise<string[]> {
  return [...openFilesBelow(place), ...(await entriesBelow(place))]
}

/** Those leaks that are open files. */
function openNow(all: readonly string[]): string[] {
  return all.filter((leak) => leak.startsWith('open: '))
}

type Part = readonly [header: string, content: Uint8Array]

const formType = `multipart/form-data; boundary=${boundary}`
const refused = new ServiceError('unsupported-media', 'Not a video.')

function refuse(): never {
  throw refused
}

function filePart(content: Uint8Array, name = 'file'): Part {
  const disposition = `Content-Disposition: form-data; name="${name}"; filename="video.mp4"`
  return [`${disposition}\r\nContent-Type: video/mp4`, content]
}

function fieldPart(name: string, value: string): Part {
  return [`Content-Disposition: form-data; name="${name}"`, text(value)]
}

function formBody(parts: readonly Part[], between = boundary): Uint8Array {
  const pieces = parts.flatMap(([header, content]) => [
    text(`--${between}\r\n${header}\r\n\r\n`),
    content,
    text('\r\n'),
  ])
  return new Uint8Array(Buffer.concat([...pieces, text(`--${between}--\r\n`)]))
}

/** A form up to the content of its only part. */
function begun(part: Part): Uint8Array {
  return formBody([part]).subarray(0, -8 - boundary.length)
}

function requestOf(chunks: Chunks, headers: Record<string, string> = {}): Request {
  const iterator = (async function* () {
    yield* chunks
  })()
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await iterator.next()
        if (done) controller.close()
        else if (value.length > 0) controller.enqueue(value)
        else return this.pull?.(controller)
      },
    },
    { highWaterMark: 0 },
  )
  return new Request(url, {
    method: 'POST',
    headers: { 'content-type': formType, ...headers },
    body,
    duplex: 'half',
  })
}

function* chunked(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size)
}

async function* stalling(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
  await new Promise(() => {})
}

async function* spaced(chunks: Iterable<Uint8Array>, ms: number): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) {
    yield chunk
    await sleep(ms)
  }
}

async function readAll(path: string): Promise<Uint8Array> {
  return new Uint8Array(await readFile(path))
}

test.run()
